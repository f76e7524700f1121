// Counts of a simulated rung against expected ones.
#include "lab/expect/counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

const std::string entry = "ch09:memory_bound/1024";

RunFile counted_run(const std::string& id, const CountValues& counts, double ms = 1) {
  RunFile run = small_run(id, 4, ms);
  run.device->simulated = true;
  run.device->hardware = "h200-simulated";
  for (const auto& [count, value] : counts) run.rows[1].counts.push_back({count, value});
  return run;
}

CountValues all(double value) {
  CountValues counts;
  for (const auto& [count, name] : names_of(Count{})) counts[count] = value;
  return counts;
}

CountValues with(Count count, double value) {
  CountValues counts = all(1000);
  counts[count] = value;
  return counts;
}

Expectations expecting(const CountValues& counts) {
  Expectations expectations{
      .hardware = "h200-simulated", .chapter = "ch09", .provenance = {}, .entries = {}};
  update_expectations(expectations, counted_run("first", counts), false);
  return expectations;
}

Finding found(const Expectations& expectations, const RunFile& run) {
  for (const auto& finding : check_expectations(expectations, run))
    if (finding.rung == "one_pass") return finding;
  ADD_FAILURE() << "no finding";
  return {};
}

TEST(ExpectedCounts, ExactOnesAreJudgedByOneAndInstructionsByAHundredth) {
  const Expectations expectations = expecting(all(1000));
  for (const auto& [count, name] : names_of(Count{})) {
    SCOPED_TRACE(name);
    const auto kind = [&](double value) {
      return found(expectations, counted_run("second", with(count, value))).kind;
    };
    const bool judged = count != Count::waits && count != Count::overlap;
    const bool exact = judged && count != Count::instructions;
    EXPECT_EQ(kind(1000), Finding::ok);
    EXPECT_EQ(kind(1001), exact ? Finding::regression : Finding::ok);
    EXPECT_EQ(kind(1011), judged ? Finding::regression : Finding::ok);
    EXPECT_EQ(kind(999), exact ? Finding::improvement : Finding::ok);
    EXPECT_EQ(kind(0), judged ? Finding::improvement : Finding::ok);
  }
}

TEST(ExpectedCounts, TheLineNamesEveryChangeAndNoTime) {
  CountValues worse = all(1000);
  worse[Count::instructions] = 1430;
  worse[Count::l2_bytes] = 3300;
  worse[Count::wavefronts] = 500;
  const Finding finding = found(expecting(all(1000)), counted_run("second", worse));
  EXPECT_EQ(finding.line, entry +
                              " one_pass: regression, instructions 1000 -> 1430 (+43.0 %), L2 "
                              "bytes 1000 -> 3300 (+230.0 %), wavefronts 1000 -> 500 (-50.0 %)");
  EXPECT_EQ(finding.changes.size(), 3u);
  EXPECT_TRUE(finding.is_judged());
}

TEST(ExpectedCounts, FromNoneThereIsNoPerCent) {
  const Finding finding = found(expecting(with(Count::bank_conflicts, 0)),
                                counted_run("second", with(Count::bank_conflicts, 32)));
  EXPECT_EQ(finding.kind, Finding::regression);
  EXPECT_TRUE(finding.line.ends_with("bank conflicts 0 -> 32")) << finding.line;
}

TEST(ExpectedCounts, OneThatIsNotCountedAnyMoreIsARegression) {
  const Expectations expectations = expecting(all(1000));
  const Finding none = found(expectations, counted_run("second", {}));
  EXPECT_EQ(none.kind, Finding::regression);
  EXPECT_NE(none.line.find("launches 1000 -> not counted"), std::string::npos) << none.line;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(found(expectations, counted_run("second", with(Count::launches, nan))).kind,
            Finding::regression);
}

// It is only estimated from the counts.
TEST(ExpectedCounts, BesideCountsTheTimeIsNotJudged) {
  for (const double ms : {0.5, 2.0}) {
    SCOPED_TRACE(ms);
    Expectations expectations = expecting(all(1000));
    const RunFile run = counted_run("second", all(1000), ms);
    const Finding finding = found(expectations, run);
    EXPECT_EQ(finding.kind, Finding::ok);
    EXPECT_TRUE(finding.counted && finding.is_judged() && !finding.slower);
    EXPECT_EQ(finding.line, entry + " one_pass: as expected, every count is within its tolerance");
    const auto update = update_expectations(expectations, run, false);
    EXPECT_THAT(update.worsened, testing::Each(testing::Not(testing::HasSubstr("one_pass"))));
    EXPECT_EQ(expectations.find(entry, "one_pass")->median_ms, ms);
  }
}

// As in files of schema 1.
TEST(ExpectedCounts, WithoutCountsTheEstimatedTimeIsJudged) {
  const Finding finding = found(expecting({}), counted_run("second", all(1000), 1.5));
  EXPECT_EQ(finding.kind, Finding::regression);
  EXPECT_FALSE(finding.counted);
  EXPECT_EQ(finding.line, entry +
                              " one_pass: regression, estimated time 1.500 ms against 1.000 ms "
                              "(+50.0 %, tolerance +2.0 %)");
}

TEST(ExpectedCounts, AShorterTimeDoesNotMakeUpForMoreOfAnything) {
  RunFile run = counted_run("second", with(Count::l2_bytes, 1100), 0.5);
  EXPECT_EQ(found(expecting(all(1000)), run).kind, Finding::regression);
}

TEST(ExpectedCounts, AnUpdateKeepsTheSmallerOfTwoWithinTheTolerance) {
  Expectations expectations = expecting(all(1000));
  const auto update = update_expectations(
      expectations, counted_run("second", with(Count::instructions, 1009)), false);
  EXPECT_TRUE(update.kept.empty());
  EXPECT_EQ(expectations.find(entry, "one_pass")->counts.at(Count::instructions), 1000);
  update_expectations(expectations, counted_run("third", with(Count::instructions, 995)), false);
  EXPECT_EQ(expectations.find(entry, "one_pass")->counts.at(Count::instructions), 995);
}

TEST(ExpectedCounts, AnUpdateWritesMoreOfAnythingOnlyWhenAccepted) {
  Expectations expectations = expecting(all(1000));
  const Expectations before = expectations;
  RunFile worse = counted_run("second", with(Count::tensor_operations, 1001));
  worse.rows.erase(worse.rows.begin());
  const auto kept = update_expectations(expectations, worse, false);
  EXPECT_TRUE(kept.written.empty());
  EXPECT_EQ(expectations, before);
  const auto accepted = update_expectations(expectations, worse, true);
  ASSERT_EQ(accepted.worsened.size(), 1u);
  EXPECT_EQ(accepted.worsened[0],
            entry + " one_pass: tensor operations 1000 -> 1001 (+0.1 %), accepted");
  EXPECT_EQ(expectations.find(entry, "one_pass")->counts.at(Count::tensor_operations), 1001);
}

TEST(ExpectedCounts, ALongerTimeWithinTheToleranceIsNamedToo) {
  Expectations expectations = expecting({});
  const auto update = update_expectations(expectations, counted_run("second", {}, 1.01), false);
  ASSERT_EQ(update.worsened.size(), 1u);
  EXPECT_EQ(update.worsened[0],
            entry + " one_pass: time 1.000 ms -> 1.010 ms (+1.0 %), within its tolerance");
}

TEST(ExpectedCounts, AMeasuredRunHasNone) {
  RunFile run = counted_run("gpu", all(1000));
  run.device->simulated = false;
  run.device->hardware = "h200";
  Expectations expectations{.hardware = "h200", .chapter = "ch09", .provenance = {}, .entries = {}};
  update_expectations(expectations, run, false);
  EXPECT_TRUE(expectations.find(entry, "one_pass")->counts.empty());
}

}  // namespace
}  // namespace aisp::lab
