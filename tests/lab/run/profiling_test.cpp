// The pass of counters with a program in ncu's place that answers with what ncu printed once.
#include "lab/run/profiling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class Listener : public RunObserver {
 public:
  void phase(const EntryPlan&, std::size_t, std::size_t, const Phase&) override {}
  void row(const RowRecord&) override {}
  void warn(const std::string& line) override { warnings.push_back(line); }
  std::vector<std::string> warnings;
};

class Profiling : public testing::Test {
 protected:
  // `collect` is what it does when it is to count; the file it is to write is in $report.
  void pretend(const std::string& collect) {
    const fs::path tool = folder_.path() / "ncu";
    const std::string outputs = std::string(AISP_SOURCE_DIR) + "/tests/lab/profile/outputs/";
    std::ofstream(tool) << "#!/bin/sh\n"
                        << "echo \"$@\" >> " << (folder_.path() / "words").string() << "\n"
                        << "case \"$1\" in\n"
                        << "--version) echo 'Version 2025.3.1.0 (build 1)'; exit 0;;\n"
                        << "-i) cat " << outputs << "ncu_2025_3_ranges.csv; exit 0;;\n"
                        << "esac\n"
                        << "while [ \"$1\" != -o ]; do shift; done\n"
                        << "report=$2\n"
                        << collect << "\n";
    fs::permissions(tool, fs::perms::owner_all);
    setenv("AISP_NCU", tool.c_str(), 1);
  }
  ~Profiling() override { unsetenv("AISP_NCU"); }

  bool profile(RunFile& run) {
    Journal journal(folder_.path() / "run", Journal::Open::fresh);
    journal.append(run.header);
    return profile_entries(journal, run, folder_.path() / "run", interrupt_, listener_);
  }
  static RunFile run_on_gpu() {
    RunFile run = small_run("a");
    run.device->major = 9;
    run.header.profile = Profile::roofline;
    run.header.time_limit = 60;
    return run;
  }

  TemporaryFolder folder_;
  Interrupt interrupt_;
  Listener listener_;
};

TEST_F(Profiling, GivesEachRungTheKernelsOfItsRange) {
  pretend("echo made > $report.ncu-rep");
  RunFile run = run_on_gpu();
  EXPECT_TRUE(profile(run));
  EXPECT_TRUE(listener_.warnings.empty());
  ASSERT_EQ(run.profiles.size(), 2U);
  EXPECT_EQ(run.profiles[0].kernels.size(), 1U);
  EXPECT_EQ(run.profiles[1].kernels.size(), 2U);
  EXPECT_EQ(run.profiles[0].by, "ncu 2025.3.1");
  EXPECT_THAT(run.profiles[0].bound, HasSubstr("neither compute (33 %) nor memory (46 %) busy"));
  EXPECT_EQ(run.profiles[0].problem, "");
  EXPECT_TRUE(fs::exists(folder_.path() / "run" / run.profiles[0].file));
  EXPECT_EQ(read_run(folder_.path() / "run").profiles, run.profiles) << "as the journal has them";
  const std::string words = text_of(folder_.path() / "words");
  EXPECT_THAT(words, HasSubstr("--clock-control none"));
  EXPECT_THAT(words, HasSubstr("worker"));
}

TEST_F(Profiling, SaysWhatToDoWhereCountersAreNotPermitted) {
  pretend("echo '==ERROR== ERR_NVGPUCTRPERM - no permission'; exit 1");
  RunFile run = run_on_gpu();
  EXPECT_TRUE(profile(run));
  ASSERT_EQ(run.profiles.size(), 2U);
  EXPECT_THAT(run.profiles[0].problem, HasSubstr("NVreg_RestrictProfilingToAdminUsers"));
  ASSERT_EQ(listener_.warnings.size(), 1U);
}

TEST_F(Profiling, NamesAnNcuThatDies) {
  pretend("kill -9 $$");
  RunFile run = run_on_gpu();
  EXPECT_TRUE(profile(run));
  EXPECT_THAT(run.profiles.at(0).problem, HasSubstr("ncu ended with killed by"));
}

TEST_F(Profiling, DoesNothingOnASimulatorOrUnasked) {
  pretend("exit 1");
  RunFile run = run_on_gpu();
  run.device->simulated = true;
  EXPECT_TRUE(profile(run));
  EXPECT_TRUE(run.profiles.empty());
  EXPECT_FALSE(fs::exists(folder_.path() / "words"));
}

TEST_F(Profiling, WithoutNcuItIsWhatCuptiGives) {
  setenv("AISP_NCU", "/nowhere/ncu", 1);
  EXPECT_EQ(profile_in_workers(run_on_gpu().header, listener_), Profile::minimal);
  ASSERT_EQ(listener_.warnings.size(), 1U);
  EXPECT_THAT(listener_.warnings[0], HasSubstr("AISP_NCU=/nowhere/ncu"));
  pretend("exit 0");
  EXPECT_EQ(profile_in_workers(run_on_gpu().header, listener_), Profile::none);
}

}  // namespace
}  // namespace aisp::lab
