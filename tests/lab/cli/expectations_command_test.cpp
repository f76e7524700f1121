#include "lab/expect/expectations.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

class ExpectationsCommand : public FixtureTest {
 protected:
  // Expects `ms` of both rungs of fx:slow: far from any time that this host could measure.
  void expect_time(double ms) {
    Expectations file{.hardware = "host", .chapter = "fx", .provenance = {}, .entries = {}};
    file.provenance["old"] = {.date = "2026-01-31T12:00:00Z",
                              .version = "0.1.0",
                              .commit = "abc",
                              .device = "host processor",
                              .driver = "none",
                              .runtime = "none",
                              .l2 = L2Mode::hot,
                              .command = {"bench", "run"},
                              .samples = 20,
                              .sm_mhz = {}};
    for (const char* rung : {"double", "nap"})
      file.entries["fx:slow/64"][rung] = {
          .median_ms = ms, .low_ms = ms, .high_ms = ms, .samples = 10, .run = "old"};
    save_expectations(expectations(), file);
  }
  const Words slow_ = bench("fx:slow") + briefly;
};

constexpr double tiny = 1e-9, huge = 1e6;

TEST_F(ExpectationsCommand, AreWrittenOnceAskedFor) {
  ASSERT_EQ(run(slow_).exit, 0);
  EXPECT_FALSE(std::filesystem::exists(expectations()));
  std::filesystem::remove_all(runs());
  const auto outcome = run(slow_ + Words{"--update-expectations"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("2 times written to " + expectations().string()), std::string::npos)
      << outcome.out;
  const auto file = load_expectations(expectations());
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->hardware, "host");
  const RunFile measured = recorded();
  for (const char* rung : {"double", "nap"}) {
    const ExpectedTime* time = file->find("fx:slow/64", rung);
    ASSERT_NE(time, nullptr);
    EXPECT_EQ(time->median_ms, row_in(measured, "fx:slow/64", rung).median_ms);
    EXPECT_EQ(time->run, measured.header.id);
    EXPECT_GE(time->tolerance, default_tolerance);
  }
  // The run against its own times.
  const auto check = run({"expectations", "check", run_folder().string()});
  EXPECT_EQ(check.exit, 0) << check.out << check.err;
  EXPECT_EQ(check.last_line(), "good: 2 times compared");
}

TEST_F(ExpectationsCommand, ARegressionExitsOneAndKeepsTheOldTime) {
  expect_time(tiny);
  const std::string before = text_of(expectations());
  const auto outcome = run(slow_);
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_TRUE(outcome.last_line().starts_with("regression: 2 rows: 2 measured; ")) << outcome.out;
  EXPECT_NE(outcome.out.find("fx:slow/64 nap: regression, "), std::string::npos) << outcome.out;
  EXPECT_EQ(recorded().end->exit, 1);
  const auto update = run(slow_ + Words{"--update-expectations"});
  EXPECT_EQ(update.exit, 1);
  EXPECT_NE(update.out.find("kept: fx:slow/64 nap: regression, "), std::string::npos) << update.out;
  EXPECT_EQ(text_of(expectations()), before);
}

TEST_F(ExpectationsCommand, ARegressionIsWrittenWhenItIsAccepted) {
  expect_time(tiny);
  const auto outcome = run(slow_ + Words{"--update-expectations", "--accept-regressions"});
  EXPECT_EQ(outcome.exit, 0) << outcome.out;
  const auto file = load_expectations(expectations());
  ASSERT_TRUE(file.has_value());
  EXPECT_GE(file->find("fx:slow/64", "nap")->median_ms, 1.0) << "it sleeps a millisecond";
  EXPECT_FALSE(file->provenance.contains("old"));
}

TEST_F(ExpectationsCommand, AnImprovementIsSaidAndTakenOver) {
  expect_time(huge);
  const auto outcome = run(slow_ + Words{"--update-expectations"});
  EXPECT_EQ(outcome.exit, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("fx:slow/64 nap: improvement, "), std::string::npos) << outcome.out;
  EXPECT_LT(load_expectations(expectations())->find("fx:slow/64", "nap")->median_ms, huge / 2);
}

TEST_F(ExpectationsCommand, ARungThatNowFailsIsARegressionAndWrongCountsMore) {
  Expectations file{.hardware = "host", .chapter = "fx", .provenance = {}, .entries = {}};
  expect_time(huge);
  file = *load_expectations(expectations());
  file.entries["fx:crash/64"]["segfault"] = file.entries["fx:slow/64"]["nap"];
  save_expectations(expectations(), file);
  const auto outcome = run(bench("fx:crash") + briefly);
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.out.find("fx:crash/64 segfault: regression, failed: worker killed by SIGSEGV"),
            std::string::npos)
      << outcome.out;
}

TEST_F(ExpectationsCommand, CheckWithoutARunReadsEveryFile) {
  expect_time(1);
  const auto outcome = run({"expectations", "check"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, expectations().string() + ": good, 1 entries\n");
}

TEST_F(ExpectationsCommand, CheckOfARecordedRunFindsTheRegression) {
  ASSERT_EQ(run(slow_).exit, 0);
  expect_time(tiny);
  const auto outcome = run({"expectations", "check", run_folder().filename().string()});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.last_line(), "regression: 2 times compared");
}

TEST_F(ExpectationsCommand, ShowGivesTimesSpeedUpsAndWhereTheyComeFrom) {
  expect_time(2);
  const auto outcome = run({"expectations", "show", "fx"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  for (const char* part : {"fx on host", "fx:slow/64", "2.000 ms", "5 %", "1.00x",
                           "old: 2026-01-31T12:00:00Z aisp 0.1.0 (abc), host processor"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
  EXPECT_EQ(run({"expectations", "show", "--hardware", "host"}).exit, 0);
  expect_refused(run({"expectations", "show", "--hardware", "h100"}), 2,
                 "no expectations on h100 yet");
}

TEST_F(ExpectationsCommand, WithoutAnyAreRefusedWithTheWayOut) {
  expect_refused(run({"expectations", "show"}), 2, "--update-expectations' writes them");
  std::filesystem::remove_all(folder() / "chapters");
  expect_refused(run({"expectations", "show"}), 4, "set AISP_CHAPTERS");
}

}  // namespace
}  // namespace aisp::lab
