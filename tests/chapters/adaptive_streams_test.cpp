// The controller of adaptive_streams on made-up telemetry.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/chapters/adaptive_pipeline.hpp"

namespace aisp::adaptive_model {
namespace {

TEST(AdaptiveController, IsCloseToTheBestFixedSettingOnEveryPhaseOfAShiftingLoad) {
  Adaptive adaptive;
  for (const Phase& phase : phases()) {
    const double best = best_fixed(phase.machine, phase.requests);
    const double time = adaptive.run(phase.machine, phase.requests);
    EXPECT_LE(time, 1.05 * best) << phase.name;
  }
}

TEST(AdaptiveController, BeatsEveryFixedSettingOverTheWholeLoad) {
  Adaptive adaptive;
  double whole = 0;
  for (const Phase& phase : phases()) whole += adaptive.run(phase.machine, phase.requests);
  for (const Setting& setting : settings_within(limits)) {
    double fixed = 0;
    for (const Phase& phase : phases()) fixed += run_fixed(phase.machine, phase.requests, setting);
    EXPECT_LT(whole, fixed) << setting.chunk << " bytes, " << setting.streams << " streams";
  }
}

// The same on links and devices that nobody told it about.
TEST(AdaptiveController, FindsItsWayOnOtherMachines) {
  for (const double copy_fixed : {1.0, 3.0, 10.0})
    for (const double gigabytes : {12.0, 25.0, 52.0, 200.0}) {
      Adaptive adaptive;
      double whole = 0, best = 0;
      for (Phase phase : phases()) {
        phase.machine.copy_fixed = copy_fixed;
        phase.machine.copy_byte = 1 / (1e3 * gigabytes);
        whole += adaptive.run(phase.machine, phase.requests);
        best += best_fixed(phase.machine, phase.requests);
      }
      EXPECT_LE(whole, 1.05 * best) << copy_fixed << " us, " << gigabytes << " GB/s";
    }
}

TEST(AdaptiveController, SettlesOnASteadyLoad) {
  for (const Phase& phase : phases()) {
    Adaptive adaptive;
    adaptive.run(phase.machine, phase.requests);
    adaptive.changes = 0;
    for (int i = 0; i < 20; ++i) adaptive.run(phase.machine, phase.requests);
    EXPECT_EQ(adaptive.changes, 0) << phase.name;
  }
}

TEST(AdaptiveController, DoesNotFollowNoise) {
  for (const Phase& phase : phases()) {
    Adaptive adaptive;
    adaptive.noise = 0.15;
    for (int i = 0; i < 5; ++i) adaptive.run(phase.machine, phase.requests);
    adaptive.changes = 0;
    for (int i = 0; i < 20; ++i) {
      const double time = adaptive.run(phase.machine, phase.requests);
      EXPECT_LE(time, 1.05 * best_fixed(phase.machine, phase.requests)) << phase.name;
    }
    EXPECT_LE(adaptive.changes, 4) << phase.name;
  }
}

TEST(AdaptiveController, ASingleSlowChunkChangesNothing) {
  Adaptive adaptive;
  const Phase& bulk = phases()[0];
  adaptive.run(bulk.machine, bulk.requests);
  const Setting before = adaptive.setting;
  adaptive.controller.observe({8 * mib, 20000, 20000, 30000, 30000, 0});
  EXPECT_EQ(adaptive.controller.choose(bulk.requests.bytes, bulk.requests.bytes), before);
}

TEST(AdaptiveController, ReactsToAShiftWithinThreeChunks) {
  const Requests requests{20, 8 * mib};
  const Machine light = phases()[1].machine;
  Machine heavy = light;
  heavy.latency = 330;
  Adaptive adaptive;
  adaptive.run(light, requests);
  const auto after_three_chunks = [&](const Machine& machine) {
    Pipeline pipeline(machine);
    pipeline.begin_request();
    const Setting now = adaptive.controller.choose(requests.bytes, requests.bytes);
    for (int i = 0; i < 3; ++i)
      adaptive.controller.observe(pipeline.chunk(static_cast<double>(now.chunk), now.streams));
    return adaptive.controller.choose(requests.bytes, requests.bytes);
  };
  const double best = best_fixed(heavy, requests);
  ASSERT_GT(run_fixed(heavy, requests, adaptive.setting), 1.2 * best) << "nothing to react to";
  EXPECT_LE(run_fixed(heavy, requests, after_three_chunks(heavy)), 1.05 * best);
  EXPECT_LE(run_fixed(light, requests, after_three_chunks(light)),
            1.05 * best_fixed(light, requests));
}

TEST(AdaptiveController, StaysWithinItsLimits) {
  const Limits tight{
      .least_chunk = 1 << 20, .most_chunk = 4 << 20, .most_streams = 3, .memory = 6 << 20};
  Controller controller(tight);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0, 4);
  for (int i = 0; i < 2000; ++i) {
    const double bytes = mib * std::pow(10.0, any(random) - 2);
    const Setting setting = controller.choose(bytes, bytes);
    EXPECT_GE(setting.chunk, tight.least_chunk);
    EXPECT_LE(setting.chunk, tight.most_chunk);
    EXPECT_GE(setting.streams, 1);
    EXPECT_LE(setting.streams, tight.most_streams);
    EXPECT_LE(setting.streams * setting.chunk, tight.memory);
    controller.observe({bytes, std::pow(10.0, any(random)), std::pow(10.0, any(random)),
                        std::pow(10.0, any(random)), std::pow(10.0, any(random)),
                        static_cast<int>(any(random))});
  }
}

TEST(AdaptiveController, BeginsWithTheSettingThatItIsGiven) {
  const Setting poor{256 << 10, 1};
  Controller controller(limits, poor);
  EXPECT_EQ(controller.choose(320 * mib, 320 * mib), poor);
  EXPECT_EQ(controller.choose(320 * mib, 200 * mib), poor);
  controller.observe({256 << 10, 8, 8, 5, 5, 0});
  const Setting next = controller.choose(320 * mib, 300 * mib);
  EXPECT_GT(next.chunk, poor.chunk);
  EXPECT_GT(next.streams, poor.streams);
}

TEST(AdaptiveController, LeavesASettingAloneThatIsAboutToEnd) {
  const Setting poor{256 << 10, 1};
  Controller controller(limits, poor);
  controller.choose(320 * mib, 320 * mib);
  controller.observe({256 << 10, 8, 8, 5, 5, 0});
  EXPECT_EQ(controller.choose(320 * mib, 0.25 * mib), poor);
}

TEST(AdaptiveController, HasASettingWhereNothingFits) {
  const Limits nothing{.least_chunk = 1 << 20, .most_chunk = 1 << 20, .most_streams = 4};
  EXPECT_EQ(settings_within(nothing), (std::vector<Setting>{{1 << 20, 1}}));
  EXPECT_EQ(Controller(nothing).choose(mib, mib), (Setting{1 << 20, 1}));
}

TEST(AdaptiveLine, FindsFixedPartAndSlope) {
  Line line(1, 1, 16);
  for (int i = 0; i < 40; ++i) line.add(i % 5, 7 + 3 * (i % 5));
  EXPECT_NEAR(line.at(0), 7, 1e-9);
  EXPECT_NEAR(line.at(10), 37, 1e-9);
}

TEST(AdaptiveLine, KeepsItsShapeWhenSeenInOnePlaceOnly) {
  Line line(4, 2, 16);
  for (int i = 0; i < 40; ++i) line.add(8, 40);  // twice what was believed
  EXPECT_NEAR(line.at(0), 8, 1e-9);
  EXPECT_NEAR(line.at(8), 40, 1e-9);
}

TEST(AdaptiveLine, HasNoNegativePart) {
  Line falling(1, 1, 16), steep(1, 1, 16);
  for (int i = 1; i < 20; ++i) {
    falling.add(i, 100 - i);
    steep.add(i, 10 * i * i);
  }
  EXPECT_GE(falling.at(1e6), falling.at(1));
  EXPECT_GE(steep.at(0), 0);
}

}  // namespace
}  // namespace aisp::adaptive_model
