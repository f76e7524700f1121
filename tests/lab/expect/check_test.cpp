// Runs against expectations: what counts as a regression, and what an update may change.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "lab/expect/expectations.hpp"
#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

const std::string entry = "ch09:memory_bound/1024";

Expectations expecting(double baseline_ms, double one_pass_ms, double scatter = 0.0) {
  Expectations expectations{.hardware = "h200", .chapter = "ch09", .provenance = {}, .entries = {}};
  update_expectations(expectations, small_run("first", baseline_ms, one_pass_ms, scatter), false);
  return expectations;
}

Expectations expecting_of(const RunFile& run) {
  Expectations expectations{.hardware = "h200", .chapter = "ch09", .provenance = {}, .entries = {}};
  update_expectations(expectations, run, false);
  return expectations;
}

Finding finding_for(const Expectations& expectations, const RunFile& run,
                    const std::string& rung = "one_pass") {
  for (const auto& finding : check_expectations(expectations, run))
    if (finding.rung == rung) return finding;
  ADD_FAILURE() << "no finding for " << rung;
  return {};
}

Finding::Kind kind_of_time(double expected_ms, double measured_ms, double scatter = 0.0) {
  return finding_for(expecting(4, expected_ms, scatter), small_run("second", 4, measured_ms)).kind;
}

TEST(Check, TheToleranceIsATwentiethUpToAndIncludingItsEdge) {
  const double edge = 2.0 * (1 + default_tolerance);
  EXPECT_EQ(kind_of_time(2.0, 2.0), Finding::ok);
  EXPECT_EQ(kind_of_time(2.0, edge), Finding::ok);
  EXPECT_EQ(kind_of_time(2.0, std::nextafter(edge, 3.0)), Finding::regression);
  EXPECT_EQ(kind_of_time(2.0, 2.4), Finding::regression) << "a fifth is lost";
  EXPECT_EQ(kind_of_time(edge, 2.0), Finding::ok);
  EXPECT_EQ(kind_of_time(edge, std::nextafter(2.0, 1.0)), Finding::improvement);
}

TEST(Check, UnderAPowerCapItIsWiderAndSaysWhy) {
  RunFile capped = small_run("first", 4, 2);
  for (auto& row : capped.rows) row.throttle = {"sw power cap"};
  Expectations expectations{.hardware = "h200", .chapter = "ch09", .provenance = {}, .entries = {}};
  update_expectations(expectations, capped, false);
  const ExpectedTime* time = expectations.find(entry, "one_pass");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->tolerance, power_cap_tolerance);
  EXPECT_EQ(time->why, "power cap");
  EXPECT_EQ(finding_for(expectations, small_run("second", 4, 2.2)).kind, Finding::ok);
  EXPECT_EQ(finding_for(expectations, small_run("second", 4, 2.4)).kind, Finding::regression);
}

RunFile waiting_run(const std::string& id, double one_pass_ms, double host_share) {
  RunFile run = small_run(id, 4, one_pass_ms);
  for (auto& row : run.rows) row.host_share = host_share;
  return run;
}

TEST(Check, WhatWaitsForTheHostIsShownAndNotJudged) {
  Expectations expectations = expecting_of(waiting_run("first", 2, 0.97));
  EXPECT_EQ(expectations.find(entry, "one_pass")->why, "bound by the host");
  EXPECT_EQ(expectations.find(entry, "one_pass")->host_share, 0.97);
  for (const double ms : {0.5, 2.0, 3.1, 20.0}) {
    const Finding finding = finding_for(expectations, small_run("second", 4, ms));
    EXPECT_EQ(finding.kind, Finding::host_bound) << ms;
    EXPECT_FALSE(finding.slower) << "measuring it again shows nothing";
  }
  EXPECT_EQ(finding_for(expectations, small_run("second", 4, 3.1)).line,
            entry +
                " one_pass: not judged, 3.100 ms against 2.000 ms (+55.0 %): the time is "
                "bound by the host");
  RunFile wrong = small_run("second", 4, 2);
  wrong.rows[1] = row_of(entry, "one_pass", 1, RowStatus::wrong, "3 of 4096");
  EXPECT_EQ(finding_for(expectations, wrong).kind, Finding::regression) << "wrong on every host";
  // However far the samples scatter, it is the host that is named.
  EXPECT_EQ(expecting_of([] {
              RunFile run = small_run("first", 4, 2, 0.8);
              for (auto& row : run.rows) row.host_share = 0.97;
              return run;
            }())
                .find(entry, "one_pass")
                ->why,
            "bound by the host");
}

// A host that is twice as slow makes a row wait that was near it; more launches do that on any.
TEST(Check, ASlowerHostIsNoRegressionAndMoreLaunchesAre) {
  const Expectations near = expecting_of(waiting_run("first", 2, 0.6));
  EXPECT_EQ(near.find(entry, "one_pass")->why, "");
  EXPECT_EQ(finding_for(near, waiting_run("second", 3, 0.95)).kind, Finding::host_bound);
  EXPECT_EQ(finding_for(near, waiting_run("second", 3, 0.7)).kind, Finding::regression);
  const Expectations far = expecting_of(waiting_run("first", 2, 0.1));
  EXPECT_FALSE(far.find(entry, "one_pass")->host_share.has_value());
  EXPECT_EQ(finding_for(far, waiting_run("second", 3, 0.95)).kind, Finding::regression);
}

TEST(Update, ATimeOfTheHostIsNotWrittenOverOneThatIsHalfAsLong) {
  Expectations expectations = expecting_of(waiting_run("first", 2, 0.97));
  EXPECT_EQ(update_expectations(expectations, waiting_run("second", 3.1, 0.97), false).kept.size(),
            1u);
  EXPECT_EQ(expectations.find(entry, "one_pass")->median_ms, 2);
  update_expectations(expectations, waiting_run("third", 2.5, 0.97), false);
  EXPECT_EQ(expectations.find(entry, "one_pass")->median_ms, 2.5);
}

TEST(Check, AHostThatIsAheadOfTheDeviceBindsNothing) {
  RowRecord row{.median_ms = 2};
  EXPECT_FALSE(bound_by_host(row)) << "not known";
  row.host_share = 0.5;
  EXPECT_FALSE(bound_by_host(row));
  row.host_share = 0.9;
  EXPECT_TRUE(bound_by_host(row));
  row.median_ms = 0.01;
  EXPECT_FALSE(bound_by_host(row)) << "enqueued under the flush";
}

TEST(Check, TimesTakenUnderOtherConditionsAreNeitherComparedNorWritten) {
  RunFile hot = small_run("second", 4, 0.1);
  hot.header.l2 = L2Mode::hot;
  Expectations cold = expecting(4, 2);
  const Finding finding = finding_for(cold, hot);
  EXPECT_EQ(finding.kind, Finding::other_conditions);
  EXPECT_NE(finding.line.find("timed with --timer events --l2 hot, the expected one with --timer "
                              "events --l2 cold"),
            std::string::npos)
      << finding.line;
  EXPECT_TRUE(update_expectations(cold, hot, true).written.empty());
  EXPECT_EQ(cold.find(entry, "one_pass")->median_ms, 2);
  hot.rows.back().status = RowStatus::wrong;
  EXPECT_EQ(finding_for(cold, hot).kind, Finding::regression) << "wrong is wrong in every cache";
}

TEST(Check, ALargerSpreadWidensTheTolerance) {
  // Samples even over ±80 %: the middle half spans 80 % of the median.
  const Expectations wide = expecting(4, 2, 0.8);
  const ExpectedTime* time = wide.find(entry, "one_pass");
  ASSERT_NE(time, nullptr);
  EXPECT_NEAR(time->spread, 0.8, 1e-12);
  EXPECT_DOUBLE_EQ(time->tolerance, tolerated_spreads * time->spread);
  EXPECT_EQ(time->why, "spread of its samples");
  EXPECT_EQ(kind_of_time(2.0, 6.7, 0.8), Finding::ok);
  EXPECT_EQ(kind_of_time(2.0, 6.9, 0.8), Finding::regression);
  // A small spread never narrows it.
  EXPECT_EQ(expecting(4, 2, 0.01).find(entry, "one_pass")->tolerance, default_tolerance);
}

TEST(Check, TheFindingSaysTheNumbers) {
  const Finding finding = finding_for(expecting(4, 1), small_run("second", 4, 1.5));
  EXPECT_EQ(finding.entry, entry);
  EXPECT_EQ(finding.expected_ms, 1.0);
  EXPECT_EQ(finding.measured_ms, 1.5);
  EXPECT_EQ(finding.ratio, 1.5);
  EXPECT_EQ(finding.line, entry +
                              " one_pass: regression, 1.500 ms against 1.000 ms (+50.0 %, "
                              "tolerance +5.0 %)");
}

TEST(Check, ARowThatLostItsTimeIsARegression) {
  for (const auto status : {RowStatus::failed, RowStatus::wrong, RowStatus::refused}) {
    RunFile run = small_run("second");
    run.rows[1] = row_of(entry, "one_pass", 1, status, "illegal address");
    const Finding finding = finding_for(expecting(4, 1), run);
    EXPECT_EQ(finding.kind, Finding::regression) << name_of(status);
    EXPECT_NE(finding.line.find(std::string(name_of(status)) + ": illegal address"),
              std::string::npos)
        << finding.line;
  }
}

TEST(Check, ARowThatIsNotThisDevicesToRunIsNone) {
  RunFile run = small_run("second");
  run.rows[1] = row_of(entry, "one_pass", 1, RowStatus::skipped, "needs sm_100a; X is sm_90");
  EXPECT_EQ(finding_for(expecting(4, 1), run).kind, Finding::missing_result);
  run.rows[1].reason = "libcublasLt.so.13 not found";
  EXPECT_EQ(finding_for(expecting(4, 1), run).kind, Finding::regression) << "it could before";
  run.rows[1] = row_of(entry, "one_pass", 1, RowStatus::checked);
  EXPECT_EQ(finding_for(expecting(4, 1), run).kind, Finding::missing_result);
}

TEST(Check, ATimeThatIsNoNumberIsARegression) {
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), 0.0, -1.0})
    EXPECT_EQ(finding_for(expecting(4, 1), small_run("second", 4, odd)).kind, Finding::regression)
        << odd;
}

TEST(Check, WhatOneSideLacksIsSaid) {
  Expectations expectations = expecting(4, 1);
  RunFile run = small_run("second");
  expectations.entries[entry].erase("baseline");
  run.rows.pop_back();  // interrupted before one_pass
  const auto findings = check_expectations(expectations, run);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].kind, Finding::missing_expectation);
  EXPECT_EQ(findings[1].kind, Finding::missing_result);
  EXPECT_FALSE(any_regression(findings));
}

TEST(Check, OnlyWhatTheRunPlannedIsAskedFor) {
  Expectations expectations = expecting(4, 1);
  expectations.entries["ch09:compute_bound/64"] = expectations.entries[entry];
  RunFile run = small_run("second");
  run.header.plan.push_back({"ch10:matmul/64", "ch10:matmul", "", {64}, {"baseline"}});
  run.rows.push_back(row_of("ch10:matmul/64", "baseline", 1, RowStatus::measured));
  run.rows.back().median_ms = 3;
  EXPECT_EQ(check_expectations(expectations, run).size(), 2u);
}

TEST(Check, TheLatestAttemptCounts) {
  RunFile run = small_run("second", 4, 9.0);
  run.rows.push_back(run.rows[1]);
  run.rows.back().attempt = 2;
  run.rows.back().median_ms = 1.0;
  EXPECT_EQ(finding_for(expecting(4, 1), run).kind, Finding::ok);
}

TEST(Check, SimulatedAndForeignRunsAreRefusedByName) {
  Expectations expectations = expecting(4, 1);
  const Expectations before = expectations;
  RunFile simulated = small_run("sim-run"), foreign = small_run("a100-run"), none = foreign;
  simulated.device->simulated = true;
  foreign.device->hardware = "a100";
  none.device.reset();
  for (const RunFile* run : {&simulated, &foreign, &none}) {
    const auto checked = refusal_of([&] { check_expectations(expectations, *run); });
    const auto updated = refusal_of([&] { update_expectations(expectations, *run, true); });
    for (const auto& refusal : {checked, updated}) {
      EXPECT_EQ(refusal.exit(), base::Exit::usage);
      EXPECT_NE(std::string(refusal.what()).find(run->header.id), std::string::npos)
          << refusal.what();
    }
  }
  EXPECT_EQ(expectations, before);
}

TEST(Update, TakesOverMeasuredTimes) {
  Expectations expectations = expecting(4, 1);
  const auto update = update_expectations(expectations, small_run("second", 3.0, 1.04), false);
  EXPECT_EQ(update.written.size(), 2u);
  EXPECT_TRUE(update.kept.empty());
  EXPECT_EQ(expectations.find(entry, "baseline")->median_ms, 3.0);
  EXPECT_EQ(expectations.find(entry, "one_pass")->median_ms, 1.04);
  EXPECT_EQ(expectations.find(entry, "one_pass")->run, "second");
  ASSERT_EQ(expectations.provenance.size(), 1u) << "no time names the first run any more";
  EXPECT_TRUE(expectations.provenance.contains("second"));
  EXPECT_FALSE(any_regression(check_expectations(expectations, small_run("third", 3.0, 1.04))));
}

TEST(Update, SmallLossesDoNotAddUp) {
  Expectations expectations = expecting(4, 1);
  // Each within the tolerance of the one before; the second is not within that of the first.
  EXPECT_EQ(update_expectations(expectations, small_run("second", 4, 1.04), false).written.size(),
            2u);
  const auto update = update_expectations(expectations, small_run("third", 4, 1.08), false);
  ASSERT_EQ(update.kept.size(), 1u);
  EXPECT_EQ(update.kept[0].kind, Finding::regression);
  EXPECT_NE(update.kept[0].line.find("the best that was ever written here"), std::string::npos);
  EXPECT_EQ(expectations.find(entry, "one_pass")->median_ms, 1.04);
  EXPECT_EQ(expectations.find(entry, "one_pass")->best_ms, 1.0);
  // Accepted, it is where the next one starts from.
  update_expectations(expectations, small_run("fourth", 4, 1.08), true);
  EXPECT_EQ(expectations.find(entry, "one_pass")->best_ms, 1.08);
}

TEST(Update, ARegressionKeepsTheOldTimeUnlessAccepted) {
  Expectations expectations = expecting(4, 1);
  const RunFile slower = small_run("slower", 4.1, 2.0);
  const auto update = update_expectations(expectations, slower, false);
  ASSERT_EQ(update.kept.size(), 1u);
  EXPECT_EQ(update.kept[0].kind, Finding::regression);
  EXPECT_EQ(update.kept[0].rung, "one_pass");
  EXPECT_EQ(expectations.find(entry, "one_pass")->median_ms, 1.0);
  EXPECT_EQ(expectations.find(entry, "one_pass")->run, "first");
  EXPECT_EQ(expectations.find(entry, "baseline")->median_ms, 4.1);
  EXPECT_EQ(expectations.provenance.size(), 2u);
  EXPECT_EQ(expectations.provenance.at("slower").samples, 8) << "only the row that went in";

  const auto accepted = update_expectations(expectations, slower, true);
  EXPECT_TRUE(accepted.kept.empty());
  EXPECT_EQ(expectations.find(entry, "one_pass")->median_ms, 2.0);
  EXPECT_EQ(expectations.provenance.size(), 1u);
}

TEST(Update, ARowWithoutATimeNeverChangesAnything) {
  for (const auto status : {RowStatus::failed, RowStatus::wrong, RowStatus::refused,
                            RowStatus::skipped, RowStatus::checked}) {
    Expectations expectations = expecting(4, 1);
    const ExpectedTime before = *expectations.find(entry, "one_pass");
    RunFile run = small_run("second");
    run.rows[1] = row_of(entry, "one_pass", 1, status, "reason");
    run.rows[1].median_ms = 0.5;
    const auto update = update_expectations(expectations, run, true);
    EXPECT_EQ(update.kept.size(), 1u) << name_of(status);
    EXPECT_EQ(*expectations.find(entry, "one_pass"), before) << name_of(status);
  }
  Expectations empty{.hardware = "h200", .chapter = "ch09", .provenance = {}, .entries = {}};
  RunFile failed = small_run("second");
  for (auto& row : failed.rows) row.status = RowStatus::failed;
  EXPECT_TRUE(update_expectations(empty, failed, true).written.empty());
  EXPECT_TRUE(empty.entries.empty() && empty.provenance.empty());
}

TEST(Update, OtherEntriesAndChaptersStayAsTheyWere) {
  Expectations expectations = expecting(4, 1);
  expectations.entries["ch09:compute_bound/64"] = expectations.entries[entry];
  const auto other = expectations.entries["ch09:compute_bound/64"];
  RunFile run = small_run("second", 4, 0.9);
  run.rows.push_back(row_of("ch10:matmul/64", "baseline", 1, RowStatus::measured));
  run.rows.back().median_ms = 3;
  update_expectations(expectations, run, false);
  EXPECT_EQ(expectations.entries.at("ch09:compute_bound/64"), other);
  EXPECT_FALSE(expectations.entries.contains("ch10:matmul/64"));
  EXPECT_EQ(expectations.provenance.size(), 2u);
}

// An interval from resampling can miss its own median by a rounding; the file must still load.
TEST(Update, WhatItWritesCanAlwaysBeLoaded) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "expectations_h200.json";
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [low, high] : {std::pair{1.1, 0.9}, {nan, nan}, {0.0, 0.0}, {-1.0, 2.0}}) {
    RunFile run = small_run("odd", 4, 1, 0, 0);
    for (auto& row : run.rows) std::tie(row.low_ms, row.high_ms) = std::tie(low, high);
    Expectations expectations{
        .hardware = "h200", .chapter = "ch09", .provenance = {}, .entries = {}};
    update_expectations(expectations, run, false);
    save_expectations(path, expectations);
    EXPECT_EQ(load_expectations(path), expectations) << low << ' ' << high;
  }
}

}  // namespace
}  // namespace aisp::lab
