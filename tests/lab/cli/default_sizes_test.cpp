// Which sizes run where nothing was said: the small ones on the simulator. Full ones are asked for,
// and an estimate of their time comes first.
#include <cstdlib>

#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

const Words simulated{"--device", "sim:h200,sms=4"};
const Words two_rungs{"--rungs", "double,double_again"};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class DefaultSizes : public FixtureTest {
 protected:
  std::vector<std::string> entries_of(const Outcome& outcome) {
    EXPECT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
    std::vector<std::string> entries;
    for (const auto& entry : recorded().header.plan) entries.push_back(entry.entry);
    std::filesystem::remove_all(runs());
    return entries;
  }
};

TEST_F(DefaultSizes, AreSmallOnTheSimulator) {
  const std::vector<std::string> small{"fxgpu:faults/64"}, full{"fxgpu:faults/4096"};
  const Words faults = bench("fxgpu:faults") + two_rungs + simulated;
  EXPECT_EQ(entries_of(run(faults)), small);
  EXPECT_EQ(entries_of(run(faults + Words{"--quick"})), small);
  const auto outcome = run(faults + Words{"--full"});
  EXPECT_EQ(entries_of(outcome), full);
  EXPECT_TRUE(has(outcome.err, "aisp: estimate for fxgpu:faults: about ")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, " for 1 size; ")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "aisp: estimate: about ")) << outcome.err;
}

// Every command that runs targets, with what it was not told.
TEST_F(DefaultSizes, AreSmallForSweepCompareAndDemo) {
  const std::vector<std::pair<Words, std::string>> commands{
      {{"compare", "fxsheet"}, "8x4"},
      {{"demo", "sheet"}, "8x4"},
      {{"sweep", "fxsheet:sheet", "--axis", "rows=32"}, "32x4"}};
  const std::vector<std::string> full{"256x16", "256x16", "32x16"};
  for (std::size_t at = 0; at < commands.size(); ++at) {
    const auto& [words, small] = commands[at];
    SCOPED_TRACE(words[0]);
    const std::string name = "fxsheet:sheet/";
    // compare has no --device: without a GPU it takes the simulator, of this size.
    const auto here = [] {
      setenv("AISP_SIM_DEVICE", "h200,sms=4", 1);
      setenv("CUDA_VISIBLE_DEVICES", "", 1);
    };
    EXPECT_EQ(entries_of(run(words, here)), Words{name + small});
    EXPECT_EQ(entries_of(run(words + Words{"--quick"}, here)), Words{name + small});
    const auto outcome = run(words + Words{"--full"}, here);
    EXPECT_EQ(entries_of(outcome), Words{name + full[at]});
    EXPECT_TRUE(has(outcome.err, "aisp: estimate: about ")) << outcome.err;
  }
}

TEST_F(DefaultSizes, OfTheHostStayFull) {
  const Words more{"--l2", "hot", "--iterations", "10", "--warmup", "1"};
  const std::vector<std::string> full{"fx:good/4096"};
  EXPECT_EQ(entries_of(run(bench("fx:good") + more)), full);
  const auto outcome = run(bench("fx:good") + more + Words{"--full"});
  EXPECT_EQ(entries_of(outcome), full);
  EXPECT_FALSE(has(outcome.err, "estimate")) << "nothing is simulated";
}

TEST_F(DefaultSizes, GivenOnesAreEstimatedWhereTheyAreMuchLarger) {
  const Words faults = bench("fxgpu:faults") + two_rungs + simulated;
  EXPECT_EQ(run(faults + Words{"--sizes", "128"}).err, "");
  const auto large = run(faults + Words{"--sizes", "65536", "--time-limit", "0.0001"});
  EXPECT_TRUE(has(large.err, "estimate for fxgpu:faults")) << large.err;
  EXPECT_TRUE(has(large.err, "1 size takes longer than --time-limit 0.0001 s and will be stopped"))
      << large.err;
}

TEST_F(DefaultSizes, OfOneRung) {
  const auto inspected = run(Words{"inspect", "fxgpu:inspected/one_kernel", "--full"} + simulated);
  EXPECT_EQ(inspected.exit, 0) << inspected.err;
  EXPECT_EQ(inspected.err, "") << "nothing runs: its work is captured as a graph";
  const auto ran = run(Words{"inspect", "fxgpu:inspected/waits", "--full"} + simulated);
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "aisp: waits cannot be captured as a graph and runs once\n")) << ran.err;
  EXPECT_TRUE(has(ran.err, "aisp: estimate: about ")) << ran.err;
  const auto tuned =
      run(Words{"tune", "program", "fxgpu:tunable", "--variant", "sound"} + simulated);
  EXPECT_EQ(tuned.exit, 0) << tuned.err;
  EXPECT_TRUE(has(tuned.out, "fxgpu:tunable/sound 64 tunable\n")) << tuned.out;
  EXPECT_FALSE(has(tuned.err, "estimate")) << tuned.err;
  const auto full =
      run(Words{"tune", "program", "fxgpu:tunable", "--variant", "sound", "--full"} + simulated);
  EXPECT_TRUE(has(full.out, "fxgpu:tunable/sound 4096 tunable\n")) << full.out;
  EXPECT_TRUE(has(full.err, "estimate: at most about ")) << full.err;
}

// An expectation of a full size is not compared with a small one.
TEST_F(DefaultSizes, DoNotMixInExpectationsAndHistory) {
  std::filesystem::create_directories(folder() / "chapters/fxgpu");
  const Words faults = bench("fxgpu:faults") + two_rungs + simulated;
  EXPECT_EQ(run(faults + Words{"--full", "--update-expectations"}).exit, 0);
  const auto file = folder() / "chapters/fxgpu/expectations_h200-simulated.json";
  EXPECT_TRUE(has(text_of(file), "fxgpu:faults/4096")) << text_of(file);
  const auto small = run(faults);
  EXPECT_EQ(small.exit, 0) << small.out;
  EXPECT_FALSE(has(small.out, "improvement")) << small.out;
  const auto both = run({"history", "fxgpu:faults"});
  EXPECT_TRUE(has(both.out, "fxgpu:faults/64 ") && has(both.out, "fxgpu:faults/4096 ")) << both.out;
}

TEST_F(DefaultSizes, ProgressIsShownInAPipe) {
  const auto outcome = run(bench("fxgpu:faults") + two_rungs + simulated,
                           [] { setenv("AISP_PROGRESS_SECONDS", "0.000001", 1); });
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("[1/1] fxgpu:faults/64 ")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "double_again: timing")) << outcome.err;
  EXPECT_FALSE(has(outcome.out, "[1/1]")) << "a table is read by programs";
}

// The phases of the first size say nothing about the time of a full one: the estimate does.
TEST_F(DefaultSizes, ProgressUsesTheEstimate) {
  const auto outcome = run(bench("fxgpu:faults") + two_rungs + simulated + Words{"--full"},
                           [] { setenv("AISP_PROGRESS_SECONDS", "0.000001", 1); });
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("[1/1] fxgpu:faults/64 ")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "double: timing for the estimate")) << outcome.err;
  const auto estimate = outcome.err.find("aisp: estimate: about ");
  ASSERT_NE(estimate, std::string::npos) << outcome.err;
  const auto first = outcome.err.find("[1/1] fxgpu:faults/4096 ");
  ASSERT_TRUE(first != std::string::npos && first > estimate) << outcome.err;
  const std::string line = outcome.err.substr(first, outcome.err.find('\n', first) - first);
  EXPECT_TRUE(line.ends_with(" left")) << line;
}

// A rung that is silent for long must not look as if the run had stopped.
TEST_F(DefaultSizes, ProgressIsShownWhileARungIsSilent) {
  const auto outcome = run(bench("fx:hang") + Words{"--time-limit", "4"},
                           [] { setenv("AISP_PROGRESS_SECONDS", "0.9", 1); });
  std::size_t lines = 0;
  for (const auto& line : lines_of(outcome.err)) lines += line.starts_with("[1/1] fx:hang/");
  EXPECT_GE(lines, 2u) << outcome.err;
}

// Few reasons for many rows.
TEST_F(DefaultSizes, ManySkippedRungsAreCounted) {
  const Words blackwell = bench("fxgpu:inspected") + Words{"--rungs", "on_blackwell", "--validate"};
  const auto few = run(blackwell + simulated);
  EXPECT_EQ(few.exit, 4);
  EXPECT_TRUE(has(few.out, "on_blackwell: skipped: needs sm_100a")) << few.out;
  const auto many = run(blackwell + simulated + Words{"--sizes", "8,16,24"});
  EXPECT_TRUE(has(many.out, "6 rows were skipped; 'aisp bench run --verbose --resume runs/"))
      << many.out;
  EXPECT_TRUE(has(many.out,
                  "\n  6: needs sm_100a; NVIDIA H200 (simulated) is sm_90 "
                  "(fxgpu:inspected)\n"))
      << many.out;
  EXPECT_FALSE(has(many.out, "on_blackwell")) << many.out;
  // The command that it names.
  const auto at = many.out.find("--resume ") + std::string("--resume ").size();
  const std::string named = many.out.substr(at, many.out.find('\'', at) - at);
  const auto listed = run({"bench", "run", "--verbose", "--resume", named});
  std::size_t lines = 0;
  for (const auto& line : lines_of(listed.out)) lines += has(line, "on_blackwell: skipped: needs");
  EXPECT_EQ(lines, 6u) << listed.out << listed.err;
}

}  // namespace
}  // namespace aisp::lab
