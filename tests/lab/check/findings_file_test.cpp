// What the simulator's checker writes is what the lab reads.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/check/hazard.hpp"
#include "lab/check/rules.hpp"
#include "sim/watch/finding.hpp"
#include "sim/watch/process_watch.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

using sim::watch::Findings;
using sim::watch::HazardRule;

sim::watch::Finding race() {
  return {.rule = HazardRule::shared_race,
          .kernel = "sum<int>(float*)",
          .message = "two \"quoted\" writes",
          .why = "because",
          .fix = "a barrier",
          .places = {{.what = "write",
                      .block = {1, 2, 3},
                      .warp = 4,
                      .lane = 5,
                      .address = "shared offset 8",
                      .ptx_line = 60,
                      .ptx = "st.shared.u32 [%r1], %r2;",
                      .file = "a.cu",
                      .line = 7},
                     {.what = "cudaFree", .on_device = false}},
          .graph = {"warp 0 waits"}};
}

std::filesystem::path own_file(const TemporaryFolder& folder) {
  return folder.path() / (std::to_string(getpid()) + ".jsonl");
}

TEST(FindingsFile, HasEveryFieldOfAFinding) {
  const TemporaryFolder folder;
  Findings findings(folder.path().string());
  findings.add(race(), 1, 2);
  findings.write();
  const auto watched = read_hazards(folder.path(), {});
  ASSERT_EQ(watched.hazards.size(), 1u);
  const Hazard& read = watched.hazards[0];
  EXPECT_EQ(read.rule, "shared-race");
  EXPECT_EQ(read.title, base::text_of(HazardRule::shared_race).title);
  EXPECT_EQ(read.level, base::HazardLevel::error);
  EXPECT_EQ(read.kernel, "sum<int>(float*)");
  EXPECT_EQ(read.message, "two \"quoted\" writes");
  EXPECT_EQ(read.why, "because");
  EXPECT_EQ(read.fix, "a barrier");
  EXPECT_EQ(read.graph, std::vector<std::string>{"warp 0 waits"});
  ASSERT_EQ(read.places.size(), 2u);
  const HazardPlace& place = read.places[0];
  EXPECT_EQ(place.what, "write");
  EXPECT_TRUE(place.on_device);
  EXPECT_EQ(place.block, (std::array<int, 3>{1, 2, 3}));
  EXPECT_EQ(place.warp, 4);
  EXPECT_EQ(place.lane, 5);
  EXPECT_EQ(place.address, "shared offset 8");
  EXPECT_EQ(place.ptx_line, 60);
  EXPECT_EQ(place.ptx, "st.shared.u32 [%r1], %r2;");
  EXPECT_EQ(place.file, "a.cu");
  EXPECT_EQ(place.line, 7);
  EXPECT_FALSE(read.places[1].on_device);
}

TEST(FindingsFile, CountsWhatIsFoundAgain) {
  const TemporaryFolder folder;
  Findings findings(folder.path().string());
  EXPECT_FALSE(findings.known(HazardRule::shared_race, "sum<int>(float*)", 1, 2));
  findings.add(race(), 1, 2, 5);
  findings.add(race(), 1, 2, 2);
  EXPECT_TRUE(findings.known(HazardRule::shared_race, "sum<int>(float*)", 1, 2, 3));
  EXPECT_FALSE(findings.known(HazardRule::global_race, "sum<int>(float*)", 1, 2));
  EXPECT_FALSE(findings.known(HazardRule::shared_race, "other", 1, 2));
  findings.add(race(), 1, 3);
  EXPECT_EQ(findings.size(), 2u);
  findings.write();
  const std::string text = text_of(own_file(folder));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_LT(text.find("\"count\":10"), text.find("\"count\":1,"));  // in the order of finding
}

TEST(FindingsFile, IsWrittenAgainOnlyWhenSomethingChanged) {
  const TemporaryFolder folder;
  Findings findings(folder.path().string());
  findings.write();
  EXPECT_TRUE(std::filesystem::exists(own_file(folder)));
  std::filesystem::remove(own_file(folder));
  findings.write();
  EXPECT_FALSE(std::filesystem::exists(own_file(folder)));
  findings.add(race(), 1, 2);
  findings.write();
  EXPECT_EQ(read_hazards(folder.path(), {}).hazards.size(), 1u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(FindingsFile, NamesWithAnyBytesInThemDoNotStopIt) {
  const TemporaryFolder folder;
  Findings findings(folder.path().string());
  auto odd = race();
  odd.kernel = "k\xff\n";
  findings.add(odd, 1, 2);
  findings.write();
  EXPECT_EQ(read_hazards(folder.path(), {}).hazards.size(), 1u);
}

TEST(FindingsFile, AForkedChildHasItsOwn) {
  const TemporaryFolder folder;
  Findings findings(folder.path().string());
  findings.add(race(), 1, 2);
  findings.write();
  const pid_t child = fork();
  if (child == 0) {
    auto other = race();
    other.rule = HazardRule::deadlock;
    const bool empty = findings.size() == 0;
    findings.add(other, 1, 2);
    findings.write();
    _exit(empty && findings.size() == 1 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(findings.size(), 1u);
  const std::string theirs = text_of(folder.path() / (std::to_string(child) + ".jsonl"));
  EXPECT_NE(theirs.find("deadlock"), std::string::npos);
  EXPECT_EQ(theirs.find("shared-race"), std::string::npos);
  EXPECT_EQ(read_hazards(folder.path(), {}).hazards.size(), 2u);
}

TEST(FindingsFile, AFolderThatCannotBeWrittenIsSaidOnce) {
  const TemporaryFolder folder;
  write_text(folder.path() / "file", "");
  testing::internal::CaptureStderr();
  Findings findings((folder.path() / "file" / "below").string());
  findings.write();
  findings.write();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_TRUE(said.starts_with("aisp sim: cannot write findings to ")) << said;
  Findings nowhere("");
  nowhere.add(race(), 1, 2);
  nowhere.write();
  EXPECT_EQ(nowhere.size(), 1u);
}

TEST(ProcessWatch, LeavesItsMarkAtOnceAndReadsItsOptions) {
  const TemporaryFolder folder;
  const auto below = folder.path() / "made" / "here";
  setenv("AISP_SIM_HAZARDS_ADVICE", "1", 1);
  const sim::watch::ProcessWatch process(below.string());
  unsetenv("AISP_SIM_HAZARDS_ADVICE");
  EXPECT_TRUE(process.options.advice);
  EXPECT_FALSE(process.options.uninitialised);
  EXPECT_EQ(read_hazards(below, {}).files, 1);
}

}  // namespace
}  // namespace aisp::lab
