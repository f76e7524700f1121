#include "lab/measure/stopping.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "tests/lab/measure/made_up.hpp"

namespace aisp::lab {
namespace {

// Feeds next(i) until the rule is done; how many it took.
template <class Next>
int feed(StopRule& rule, Next next, int most = 100000) {
  int count = 0;
  while (!rule.done() && count < most) rule.add(next(count++));
  return count;
}

TEST(UntilSteady, AQuietSeriesStopsAtTheLeastCount) {
  UntilSteady rule;
  EXPECT_EQ(feed(rule, [](int) { return 2.0; }), 20);
  EXPECT_EQ(rule.state(), Stop::steady);
  MadeUp made_up(1);
  UntilSteady small_noise;
  EXPECT_EQ(feed(small_noise, [&](int) { return 1.0 + 0.001 * made_up.normal(); }), 20);
}

TEST(UntilSteady, ANoisySeriesTakesMoreSamplesAndThenStands) {
  MadeUp made_up(2);
  UntilSteady rule;
  const int count = feed(rule, [&](int) { return 1.0 + 0.02 * made_up.normal(); });
  EXPECT_EQ(rule.state(), Stop::steady);
  EXPECT_GT(count, 30);
  EXPECT_LT(count, 200);
  EXPECT_EQ((count - 20) % 10, 0);  // looks only every tenth sample
}

TEST(UntilSteady, OutliersDoNotKeepItRunning) {
  MadeUp made_up(3);
  UntilSteady rule;
  feed(rule, [&](int i) { return i % 10 == 9 ? 30.0 : 1.0 + 0.002 * made_up.normal(); });
  EXPECT_EQ(rule.state(), Stop::steady);
}

TEST(UntilSteady, ADriftHitsTheCapAndSaysSo) {
  UntilSteady rule;
  double time = 1.0;
  EXPECT_EQ(feed(rule, [&](int) { return time *= 1.05; }), 200);
  EXPECT_EQ(rule.state(), Stop::cap);
}

TEST(UntilSteady, TheCapHoldsBetweenTwoLooksAndMoreSamplesChangeNothing) {
  UntilSteady rule({.half_width = 1e-9, .least = 3, .most = 7, .every = 10});
  MadeUp made_up(5);
  EXPECT_EQ(feed(rule, [&](int) { return 1.0 + made_up.uniform(); }), 7);
  EXPECT_EQ(rule.state(), Stop::cap);
  for (int i = 0; i < 50; ++i) rule.add(1.0);
  EXPECT_EQ(rule.state(), Stop::cap);
}

TEST(UntilSteady, ANaNIsNeverSteady) {
  UntilSteady rule;
  EXPECT_EQ(feed(rule, [](int) { return std::numeric_limits<double>::quiet_NaN(); }), 200);
  EXPECT_EQ(rule.state(), Stop::cap);
}

TEST(UntilSteady, RefusesGoalsThatContradictThemselves) {
  EXPECT_THROW(UntilSteady({.least = 50, .most = 20}), std::invalid_argument);
  EXPECT_THROW(UntilSteady({.least = 0}), std::invalid_argument);
  EXPECT_THROW(UntilSteady({.every = 0}), std::invalid_argument);
}

TEST(Exactly, TakesThatManyWhateverTheyAre) {
  Exactly rule(7), none(0);
  MadeUp made_up(6);
  EXPECT_EQ(feed(rule, [&](int) { return made_up.uniform(); }), 7);
  EXPECT_EQ(rule.state(), Stop::complete);
  EXPECT_TRUE(none.done());
  EXPECT_THROW(Exactly(-1), std::invalid_argument);
}

TEST(Warmup, StopsOnceTheTimesHaveStoppedFalling) {
  Warmup rule;
  const int count = feed(rule, [](int i) { return i < 12 ? 10.0 * std::pow(0.8, i) : 0.687; });
  EXPECT_EQ(rule.state(), Stop::steady);
  EXPECT_GE(count, 13);
  EXPECT_LE(count, 18);
}

TEST(Warmup, AFirstSlowRunIsForgotten) {
  Warmup rule;
  EXPECT_EQ(feed(rule, [](int i) { return i == 0 ? 400.0 : 1.0; }), 6);
  EXPECT_EQ(rule.state(), Stop::steady);
}

TEST(Warmup, RunsAtLeastAsOftenAsAsked) {
  Warmup rule({.least = 25});
  EXPECT_EQ(feed(rule, [](int) { return 0.1; }), 25);
}

TEST(Warmup, TheCapsOnCountAndTimeHold) {
  Warmup falling({.most = 30});
  EXPECT_EQ(feed(falling, [](int i) { return std::pow(0.9, i); }), 30);
  EXPECT_EQ(falling.state(), Stop::cap);
  Warmup lengthy;
  EXPECT_EQ(feed(lengthy, [](int) { return 700.0; }), 2);
  EXPECT_EQ(lengthy.state(), Stop::cap);
}

TEST(Warmup, RisingTimesAreWarm) {
  Warmup rule;
  EXPECT_EQ(feed(rule, [](int i) { return 1.0 + 0.1 * i; }), 6);
  EXPECT_EQ(rule.state(), Stop::steady);
}

TEST(StopRule, OneOfThemPerRung) {
  std::vector<std::unique_ptr<StopRule>> rules;
  rules.push_back(std::make_unique<Exactly>(3));
  rules.push_back(std::make_unique<UntilSteady>());
  rules.push_back(std::make_unique<Warmup>());
  for (auto& rule : rules) {
    EXPECT_EQ(rule->state(), Stop::running);
    feed(*rule, [](int) { return 1.0; });
    EXPECT_TRUE(rule->done());
    EXPECT_NE(name_of(rule->state()), "running");
  }
}

}  // namespace
}  // namespace aisp::lab
