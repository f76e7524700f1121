// cooperative_persistent: its reference, its tolerance, and how its last rung lays out the array.
#include <gtest/gtest.h>

#include <cmath>

#include "base/refuse.hpp"
#include "chapters/ch10/cooperative_persistent/chip_plan.hpp"
#include "tests/chapters/reference_support.hpp"

using namespace aisp;

namespace {

using namespace reference_support;

const auto& smoothing() { return target_named("ch10:cooperative_persistent"); }

// Each step multiplies by (1 + z)^4 / 16: after n steps an impulse is a row of Pascal's triangle.
TEST(CooperativePersistent, AnImpulseSpreadsLikeBinomials) {
  const int count = 40, centre = 20;
  for (const int steps : {1, 2, 4}) {
    const auto problem = smoothing().problem({"", {count, steps}});
    std::vector<double> impulse(count, 0.0);
    impulse[centre] = 1.0;
    const auto y = answer(problem, {tensor_of(problem.inputs[0], impulse)});
    double binomial = std::ldexp(1.0, -4 * steps);
    for (int k = 0; k <= 4 * steps; ++k) {
      EXPECT_EQ(y[centre - 2 * steps + k], binomial) << steps << ' ' << k;
      binomial = binomial * (4 * steps - k) / (k + 1);
    }
    EXPECT_EQ(y[centre - 2 * steps - 1], 0.0);
  }
}

TEST(CooperativePersistent, OutsideTheArrayIsZero) {
  const auto problem = smoothing().problem({"", {4, 1}});
  EXPECT_EQ(answer(problem, {tensor_of(problem.inputs[0], {1, 1, 1, 1})}),
            (std::vector<double>{11 / 16.0, 15 / 16.0, 15 / 16.0, 11 / 16.0}));
}

TEST(CooperativePersistent, FloatStepsStayInsideTheTolerance) {
  const std::int64_t count = 20000;
  const int steps = 40;
  const auto problem = smoothing().problem({"", {count, steps}});
  const auto inputs = random_inputs(problem, 19);
  const auto want = answer(problem, inputs);
  const auto x = inputs[0].as<float>();
  std::vector<float> now(x.begin(), x.end()), next(now.size());
  for (int step = 0; step < steps; ++step) {
    const auto at = [&](std::int64_t i) { return i >= 0 && i < count ? now[i] : 0.0f; };
    for (std::int64_t i = 0; i < count; ++i) {
      float sum = 0.0625f * at(i - 2);
      sum = std::fma(0.0625f, at(i + 2), sum);
      sum = std::fma(0.25f, at(i - 1), sum);
      sum = std::fma(0.25f, at(i + 1), sum);
      next[i] = std::fma(0.375f, at(i), sum);
    }
    now.swap(next);
  }
  double worst = 0.0;
  for (std::int64_t i = 0; i < count; ++i) worst = std::max(worst, std::abs(now[i] - want[i]));
  EXPECT_LE(worst, problem.outputs[0].tolerance.absolute);
  EXPECT_GT(worst, 0.0);
}

TEST(CooperativePersistent, RefusesWhatItCannotCut) {
  for (const auto& dims : {std::vector<std::int64_t>{6, 40}, {2, 1}, {64, 0}, {64, 1 << 20}})
    EXPECT_THROW(smoothing().problem({"", dims}), base::Refusal) << dims[0] << ' ' << dims[1];
}

// What the kernel relies on, for every block: stretches meet, tiles that pass are whole and more
// than the ring has slots, and every tile that stays has a slot of its own.
TEST(CooperativePersistent, EveryTileHasAPlace) {
  using namespace ch10;
  for (const int multiprocessors : {1, 8, 132})
    for (const int slots : {least_chip_slots, 9, 14})
      for (const int per_block : {1, 1023, 1024, 1025, 6 * 1024, 6 * 1024 + 1, 9217, 14 * 1024,
                                  14 * 1024 + 1, 15 * 1024 + 1, 31775})
        for (const int more : {0, 1}) {
          const int vectors = per_block * multiprocessors + more;
          const ChipPlan plan = plan_chip(vectors, multiprocessors, slots);
          SCOPED_TRACE(testing::Message() << vectors << " vectors, " << multiprocessors
                                          << " multiprocessors, " << slots << " slots");
          ASSERT_LE(plan.blocks, multiprocessors);
          ASSERT_LE(plan.slots, slots);
          ASSERT_TRUE(plan.streamed == 0 || plan.streamed > chip_ring);
          EXPECT_EQ(plan.begin(0), 0);
          EXPECT_EQ(plan.begin(plan.blocks), vectors);
          for (int block = 0; block < plan.blocks; ++block) {
            const int length = plan.begin(block + 1) - plan.begin(block);
            ASSERT_GT(length, plan.streamed * tile_vectors);
            const int last = (length - 1) / tile_vectors;
            ASSERT_LT(plan.slot(last), plan.slots);
            ASSERT_GE(plan.slot(plan.streamed), plan.streamed == 0 ? 0 : chip_ring);
          }
        }
}

// 2^22 floats stay on an H200 altogether, of 2^24 not quite a third.
TEST(CooperativePersistent, AnH200HoldsWhatTheReadmeSays) {
  using namespace ch10;
  const int slots = (232448 - chip_static_bytes) / chip_tile_bytes;
  EXPECT_EQ(slots, 14);
  EXPECT_EQ(plan_chip(1 << 20, 132, slots).streamed, 0);
  EXPECT_EQ(plan_chip(1 << 22, 132, slots).streamed, 22);
}

}  // namespace
