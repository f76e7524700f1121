// doctor, history and the self-check.
#include "lab/cli/doctor_checks.hpp"
#include "lab/cli/self_check.hpp"
#include "lab/device/device.hpp"
#include "tests/lab/cli/program.hpp"
#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

using State = DoctorLine::State;

TEST(DoctorChecks, ALibraryIsFoundUnderOneOfItsNames) {
  const auto found = check_library("C", {"libnone.so.9", "libc.so.6"}, "install it");
  EXPECT_EQ(found.state, State::good);
  EXPECT_EQ(found.found, "libc.so.6");
  EXPECT_EQ(found.remedy, "");
  const auto missing = check_library("X", {"libnone.so.9", "libnone.so.8"}, "install it");
  EXPECT_EQ(missing.state, State::note);
  EXPECT_EQ(missing.found, "not found as libnone.so.9 or libnone.so.8");
  EXPECT_EQ(missing.remedy, "install it");
}

TEST(DoctorChecks, CountersAreAMatterOfTheDriversParameters) {
  const std::string text = "EnableMSI: 1\nRmProfilingAdminOnly: 1\nOther: 0\n";
  EXPECT_EQ(check_counters(text, true).state, State::good);
  EXPECT_EQ(check_counters(text, false).state, State::note);
  EXPECT_NE(check_counters(text, false).remedy, "");
  EXPECT_EQ(check_counters("RmProfilingAdminOnly: 0\n", false).state, State::good);
  EXPECT_EQ(check_counters("", true).state, State::note);
}

class Doctor : public FixtureTest {};

TEST_F(Doctor, HasALineForEverythingAndARemedyForWhatIsNotGood) {
  const auto outcome = run({"doctor"});
  EXPECT_EQ(outcome.err, "");
  bool missing = false;
  for (const auto& line : lines_of(outcome.out)) {
    const bool good = line.starts_with("good     ");
    missing = missing || line.starts_with("missing  ");
    EXPECT_TRUE(good || line.starts_with("note     ") || line.starts_with("missing  ")) << line;
    EXPECT_EQ(line.find("; remedy: ") == std::string::npos, good) << line;
  }
  EXPECT_EQ(outcome.exit, missing ? 4 : 0);
  for (const char* what : {"aisp", "GPU", "simulator", "toolkit", "CUDA runtime", "cuBLASLt",
                           "CUPTI", "runs", "home", "chapters"})
    EXPECT_NE(outcome.out.find(std::string("  ") + what), std::string::npos) << what;
  if (const auto why = why_no_cuda_device(); !why.empty()) {
    EXPECT_NE(outcome.out.find("note     GPU          " + why + "; remedy: "), std::string::npos)
        << outcome.out;
  }
}

TEST_F(Doctor, ShowsWhatPeersStandOn) {
  const auto outcome = run({"doctor"});
  EXPECT_NE(outcome.out.find("good     Doubler      2.0 in this program\n"), std::string::npos)
      << outcome.out;
  EXPECT_NE(
      outcome.out.find("note     Quadrupler   there is no libquad.so.4; remedy: double twice\n"),
      std::string::npos)
      << outcome.out;
}

TEST_F(Doctor, MissesTheSimulatorWhereThereIsNoGpuEither) {
  const auto outcome = run({"doctor"}, [] { setenv("AISP_SIM_LIBRARY", "/nowhere/x.so", 1); });
  const bool needed = !why_no_cuda_device().empty();
  EXPECT_EQ(outcome.exit, needed ? 4 : 0) << outcome.out;
  EXPECT_NE(outcome.out.find(needed ? "missing  simulator" : "note     simulator"),
            std::string::npos)
      << outcome.out;
}

TEST_F(Doctor, MeasuresCeilingsOnAGpuOnly) {
  const auto outcome = run({"sim", "--quiet", "--", fixture_program(), "doctor", "--measure"});
  expect_refused(outcome, 4, "ceilings are measured on a GPU: this process runs on the simulator");
}

TEST_F(Doctor, KnowsThatItsDeviceIsSimulated) {
  const auto outcome =
      run({"sim", "--quiet", "--device", "a100", "--", fixture_program(), "doctor"});
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("(simulated), sm_80, 108 multiprocessors"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(outcome.out.find("clocks"), std::string::npos) << outcome.out;
}

TEST_F(Doctor, FindsAnOutputFolderThatCannotBeWritten) {
  write_text(folder() / "taken", "a file");
  const auto outcome = run({"doctor", "--out", "taken/runs"});
  EXPECT_EQ(outcome.exit, 4);
  EXPECT_NE(outcome.out.find("missing  runs         taken/runs cannot be written; remedy: choose"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(run({"doctor", "--out", "new/runs"}).out.find("good     runs         new/runs\n"),
            std::string::npos);
}

class HistoryCommand : public FixtureTest {};

TEST_F(HistoryCommand, ListsTheNewestRunFirst) {
  ASSERT_EQ(run(bench("fx:good,fx:slow") + briefly).exit, 0);
  const std::string first = run_folder().filename().string();
  ASSERT_EQ(run(bench("fx:good") + briefly).exit, 0);
  const auto all = run({"history"});
  EXPECT_EQ(all.exit, 0) << all.err;
  const auto lines = lines_of(all.out);
  ASSERT_EQ(lines.size(), 1u + 6u) << all.out;
  EXPECT_TRUE(lines[0].starts_with("run ")) << lines[0];
  EXPECT_NE(lines[0].find("hardware"), std::string::npos);
  EXPECT_EQ(lines_of(run({"history", "fx:slow"}).out).size(), 1u + 2u);
  EXPECT_EQ(lines_of(run({"history", "slow"}).out).size(), 1u + 2u);
  EXPECT_EQ(lines_of(run({"history", "fx"}).out).size(), 1u + 6u);
  const auto newest = run({"history", "--limit", "2"});
  EXPECT_EQ(newest.out.find(first), std::string::npos) << newest.out;
  EXPECT_EQ(lines_of(newest.out).size(), 1u + 2u) << newest.out;
  expect_refused(run({"history", "fx:godo"}), 2, "did you mean 'fx:good'?");
}

TEST(SelfCheck, ComesOutSameOnMadeUpSamplesWhateverTheSeed) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto tally = made_up_self_check(100, seed);
    EXPECT_EQ(tally.all(), 100);
    EXPECT_TRUE(tally.good()) << "seed " << seed << ": same " << tally.same;
  }
}

TEST(SelfCheck, NeedsNinetyFiveInAHundred) {
  EXPECT_TRUE((SelfCheckTally{95, 2, 2, 1}.good()));
  EXPECT_FALSE((SelfCheckTally{94, 2, 2, 2}.good()));
  EXPECT_FALSE(SelfCheckTally{}.good()) << "nothing was compared";
}

TEST(SelfCheck, ComparesTheRepetitionsThatWereRecorded) {
  RunFile run = small_run("a");
  const EntryPlan& entry = run.header.plan.front();
  run.samples.clear();
  for (int repetition = 1; repetition <= 4; ++repetition)
    for (int i = 0; i < 30; ++i) {
      const double ms = 1 + 0.0001 * (i % 7);
      run.samples.push_back(sample_of(entry.entry, "baseline", repetition, i, ms));
      run.samples.push_back(
          sample_of(entry.entry, "baseline again", repetition, i, repetition == 3 ? 2 * ms : ms));
    }
  const auto tally = recorded_self_check(run, entry);
  EXPECT_EQ(tally.same, 3);
  EXPECT_EQ(tally.slower, 1);
  EXPECT_EQ(tally.all(), 4);
}

class SelfCheckCommand : public FixtureTest {};

TEST_F(SelfCheckCommand, RunsARungAgainstItselfAndCounts) {
  const auto outcome = run(bench("fx:good") + briefly + Words{"--self-check"});
  // The host's own noise decides between good and not good.
  EXPECT_TRUE(outcome.exit == 0 || outcome.exit == 1) << outcome.err;
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 3u) << outcome.out;
  EXPECT_TRUE(lines[0].starts_with("made-up samples: same ")) << lines[0];
  EXPECT_TRUE(lines[0].ends_with(" of 100: good")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("fx:good/64 double against itself: same ")) << lines[1];
  EXPECT_NE(lines[1].find(" of 100: "), std::string::npos) << lines[1];
  EXPECT_TRUE(lines[2].starts_with(outcome.exit == 0 ? "self-check good; runs/"
                                                     : "self-check failed; runs/"));
  const RunFile run = recorded();
  EXPECT_EQ(run.header.plan.front().rungs, (Words{"double"}));
  EXPECT_EQ(run.samples.size(), 100u * 2u * 10u);
}

TEST_F(SelfCheckCommand, IsNotResumed) {
  run(bench("fx:good") + briefly + Words{"--self-check"});
  EXPECT_EQ(recorded().header.self_check, 100);
  expect_refused(run({"bench", "run", "--resume", recorded().header.id}), 2, "is a self-check");
}

TEST_F(SelfCheckCommand, OfAWrongRungExitsThree) {
  const auto outcome =
      run(bench("fx:wrong") + briefly + Words{"--self-check", "--rungs", "off_by_one"});
  EXPECT_EQ(outcome.exit, 3) << outcome.out;
  EXPECT_TRUE(outcome.last_line().starts_with("self-check failed; ")) << outcome.out;
}

class CudaProgram : public FixtureTest {};

TEST_F(CudaProgram, ThatMustHaveAGpuSaysSoAndExitsFour) {
  const std::string program = std::string(AISP_BUILD_DIR) + "/bin/aisp";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << program << " is not built";
  const auto why = why_no_cuda_device();
  if (why.empty()) GTEST_SKIP() << "there is a GPU";
  const auto outcome =
      Program(program, bench("ch09") + Words{"--device", "gpu"}, folder(), "output", [] {}).wait();
  expect_refused(outcome, 4, "no GPU to run on: " + why);
  EXPECT_TRUE(run_folders().empty());
  EXPECT_EQ(Program(program, {"bench", "list-targets"}, folder(), "output", [] {}).wait().exit, 0);
}

}  // namespace
}  // namespace aisp::lab
