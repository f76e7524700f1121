// Numbers that a run leaves beside its time, and times that a rung takes itself.
#include <gtest/gtest.h>

#include "lab/run/bench/bench.hpp"
#include "tests/fixtures/doubling.hpp"

namespace aisp::lab {
namespace {

// The n-th run of the rung says that it took n ms and left 10 n beside it.
std::function<Run(Setup&)> counts_runs(bool own_time) {
  return [=](Setup& setup) -> Run {
    auto runs = std::make_shared<int>(0);
    setup.figure("tens", "x", [=] { return 10.0 * *runs; });
    setup.figure("always two", "", [] { return 2.0; });
    if (own_time) setup.own_time([=] { return 1.0 * *runs; });
    return [=](const Launch& launch) {
      ++*runs;
      fixture::double_all(launch);
    };
  };
}

Rung counting(const std::string& name, int step, bool own_time) {
  Rung rung = fixture::rung(name, step, fixture::double_all);
  rung.prepare = counts_runs(own_time);
  return rung;
}

const TargetEntry target_entry{fixture::target("figures", "numbers beside the time")};
const RungEntry baseline{"fx:figures", fixture::rung("double", 0, fixture::double_all)};
const RungEntry by_events{"fx:figures", counting("by_events", 1, false)};
const RungEntry mistaken{"fx:figures", counting("mistaken", 2, true)};

const TargetEntry timed_entry{[] {
  Target target = fixture::target("own_time", "compared by something else than time");
  target.timed = "number of the run";
  return target;
}()};
const RungEntry by_itself{"fx:own_time", counting("by_itself", 0, true)};

RowRecord row_of(const std::string& rung, bool validate = false,
                 const std::string& target = "fx:figures") {
  Job job;
  job.entry = {target + "/64", target, "", {64}, {rung}};
  job.rungs = {rung};
  job.l2 = L2Mode::hot;
  job.iterations = 5;
  job.warmup = 2;
  job.validate = validate;
  RowRecord row;
  run_entry(*open_host_device(), job,
            {[&](const Record& record) {
               if (const auto* found = std::get_if<RowRecord>(&record)) row = *found;
             },
             [](const Phase&) {}});
  return row;
}

// A check and two runs of warm-up come first: the five timed runs are numbers 4 to 8.
TEST(Figures, HaveTheMedianOverTheTimedRuns) {
  const RowRecord row = row_of("by_events");
  ASSERT_EQ(row.figures.size(), 2u);
  EXPECT_EQ(row.figures[0].name, "tens");
  EXPECT_EQ(row.figures[0].unit, "x");
  EXPECT_EQ(row.figures[0].median, 60);
  EXPECT_GE(row.figures[0].low, 40);
  EXPECT_LE(row.figures[0].high, 80);
  EXPECT_EQ(row.figures[1].median, 2);
  EXPECT_EQ(row.figures[1].low, 2);
  EXPECT_LT(row.median_ms, 1.0) << "the doubling of 64 numbers, by the device's clock";
}

TEST(Figures, AreLeftOutWhereNothingIsTimed) {
  EXPECT_TRUE(row_of("by_events", true).figures.empty());
  EXPECT_TRUE(row_of("double").figures.empty());
}

TEST(OwnTime, StandsForTheTimeBetweenTheEvents) {
  const RowRecord row = row_of("by_itself", false, "fx:own_time");
  EXPECT_EQ(name_of(row.status), "measured");
  EXPECT_EQ(row.samples, 5);
  EXPECT_EQ(row.median_ms, 6);
}

TEST(OwnTime, IsForTargetsThatSayWhatItIs) {
  const RowRecord row = row_of("mistaken");
  EXPECT_EQ(name_of(row.status), "failed");
  EXPECT_NE(row.reason.find("Target::timed"), std::string::npos) << row.reason;
}

}  // namespace
}  // namespace aisp::lab
