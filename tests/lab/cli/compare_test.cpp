#include <nlohmann/json.hpp>

#include "lab/record/journal.hpp"
#include "tests/lab/cli/program.hpp"
#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

class Compare : public FixtureTest {
 protected:
  // A recorded run with 20 samples per rung around the given medians.
  void record(const std::string& id, double baseline_ms, double one_pass_ms,
              const std::string& hardware = "h200", bool simulated = false,
              double instructions = 0) {
    RunFile run = small_run(id, baseline_ms, one_pass_ms, 0.002, 20);
    run.device->hardware = hardware;
    run.device->simulated = simulated;
    for (auto& row : run.rows)
      if (instructions > 0) row.counts = {{Count::instructions, instructions}};
    Journal(runs() / id, Journal::Open::fresh).append(records_of(run));
  }
};

TEST_F(Compare, TwoRunsOfTheSameSpeedAreGood) {
  record("a", 4.0, 1.0);
  record("b", 4.0, 1.0);
  const auto outcome = run({"compare", "a", "b"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 4u) << outcome.out;
  EXPECT_TRUE(lines[0].starts_with("entry ")) << lines[0];
  for (const auto* word : {"4.000 ms", "1.000", "same"})
    EXPECT_NE(lines[1].find(word), std::string::npos) << lines[1];
  EXPECT_EQ(outcome.last_line(), "good: 0 of 2 rungs slower in b");
}

TEST_F(Compare, ASlowerSecondRunIsARegression) {
  record("a", 4.0, 1.0);
  record("b", 4.0, 1.5);
  const auto slower = run({"compare", "runs/a", "runs/b/run.jsonl"});
  EXPECT_EQ(slower.exit, 1);
  EXPECT_EQ(slower.last_line(), "regression: 1 of 2 rungs slower in b");
  EXPECT_NE(slower.out.find("slower"), std::string::npos);
  const auto faster = run({"compare", "b", "a"});
  EXPECT_EQ(faster.exit, 0) << "the other way round it is faster";
  EXPECT_EQ(faster.last_line(), "good: 0 of 2 rungs slower in a");
}

TEST_F(Compare, FormatsKeepTheVerdictOffStandardOutput) {
  record("a", 4.0, 1.0);
  record("b", 4.0, 1.5);
  const auto json = run({"compare", "a", "b", "--format", "json"});
  EXPECT_EQ(json.exit, 1);
  const auto list = nlohmann::json::parse(json.out);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1]["rung"], "one_pass");
  EXPECT_EQ(list[1]["verdict"], "slower");
  EXPECT_EQ(json.err, "regression: 1 of 2 rungs slower in b\n");
  const auto csv = run({"compare", "a", "b", "--format", "csv"});
  EXPECT_EQ(lines_of(csv.out).size(), 3u) << csv.out;
}

TEST_F(Compare, OtherHardwareIsSaid) {
  record("a", 4.0, 1.0);
  record("b", 4.0, 1.0, "a100");
  const auto outcome = run({"compare", "a", "b"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "aisp: the runs are from different hardware: h200 and a100\n");
}

TEST_F(Compare, SimulatedRunsAreComparedWithTheirLikeAndByCounts) {
  record("a", 4.0, 1.0);
  record("b", 4.0, 1.5, "h200-simulated", true);
  record("c", 4.0, 1.5, "h200-simulated", true);
  for (const auto& words : {Words{"compare", "a", "b"}, Words{"compare", "b", "a"}})
    expect_refused(run(words), 2, "run b was simulated (NVIDIA H200) and the other measured");
  expect_refused(run({"compare", "b", "c"}), 2, "have no counted rung in common");
  // d has half of the estimated time of e and a third more instructions.
  record("e", 4.0, 1.5, "h200-simulated", true, 3000);
  record("d", 4.0, 0.7, "h200-simulated", true, 4000);
  const auto worse = run({"compare", "e", "d"});
  EXPECT_EQ(worse.exit, 1) << worse.err;
  EXPECT_NE(worse.out.find("instructions  3000  4000  +33.3 %  worse"), std::string::npos)
      << worse.out;
  EXPECT_EQ(worse.out.find(" ms"), std::string::npos) << worse.out;
  EXPECT_TRUE(worse.last_line().starts_with("regression: 2 of 2 rungs count more in d"));
  const auto better = run({"compare", "d", "e"});
  EXPECT_EQ(better.exit, 0) << better.out;
  EXPECT_NE(better.out.find("-25.0 %  better"), std::string::npos) << better.out;
}

TEST_F(Compare, RunsWithNothingInCommonAreRefused) {
  record("a", 4.0, 1.0, "host");
  ASSERT_EQ(run(bench("fx:good") + briefly + Words{"--out", "others"}).exit, 0);
  for (const auto& item : std::filesystem::directory_iterator(folder() / "others"))
    if (item.is_directory())
      expect_refused(run({"compare", "a", item.path().string()}), 2, "no measured rung in common");
}

TEST_F(Compare, AChapterRunsTheTwoEndsOfItsLadders) {
  const auto outcome = run({"compare", "fx", "--examples", "good,missing_library", "--quick"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  const RunFile run = recorded();
  ASSERT_EQ(run.header.plan.size(), 2u);
  EXPECT_EQ(run.header.plan[0].rungs, (Words{"double", "add"}));
  EXPECT_EQ(run.header.plan[1].rungs, (Words{"double"})) << "peers are no end of a ladder";
  EXPECT_TRUE(outcome.last_line().starts_with("good: 3 rows: 3 measured; runs/")) << outcome.out;
  const RowRecord row = row_in(run, "fx:good/64", "add");
  EXPECT_GE(row.samples, 20) << "the adaptive stop asks for twenty or more";
  EXPECT_LE(row.samples, 200);
}

TEST_F(Compare, AnUnknownExampleSuggestsTheNearest) {
  expect_refused(run({"compare", "fx", "--examples", "godo"}), 2, "did you mean 'fx:good'?");
}

}  // namespace
}  // namespace aisp::lab
