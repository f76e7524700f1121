#include <gtest/gtest.h>

#include <cmath>

#include "tests/chapters/reference_support.hpp"

using namespace aisp;

namespace {

using namespace reference_support;

// The answer to a single one is the stencil itself, mirrored: weights fall from 17/512 to 1/512.
TEST(TwoStagePipeline, ImpulseShowsTheWeights) {
  const int count = 100, centre = 40;
  const auto problem = target_named("ch09:two_stage_pipeline").problem({"", {count}});
  std::vector<double> impulse(count, 0.0);
  impulse[centre] = 1.0;
  const auto y = answer(problem, {tensor_of(problem.inputs[0], impulse)});
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(y[i], std::max(0, 17 - std::abs(i - centre)) / 512.0) << i;
}

TEST(TwoStagePipeline, OutsideTheArrayIsZero) {
  const auto problem = target_named("ch09:two_stage_pipeline").problem({"", {5}});
  const auto y = answer(problem, {tensor_of(problem.inputs[0], {1, 1, 1, 1, 1})});
  EXPECT_EQ(y[0], (17 + 16 + 15 + 14 + 13) / 512.0);
  EXPECT_EQ(y[2], (15 + 16 + 17 + 16 + 15) / 512.0);
}

TEST(TwoStagePipeline, FloatChainStaysInsideTheTolerance) {
  const auto problem = target_named("ch09:two_stage_pipeline").problem({"", {200003}});
  const auto inputs = random_inputs(problem, 13);
  const auto want = answer(problem, inputs);
  const auto x = inputs[0].as<float>();
  const auto count = static_cast<std::int64_t>(want.size());
  double worst = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    float sum = 0.0f;
    for (std::int64_t k = -16; k <= 16; ++k)
      if (i + k >= 0 && i + k < count)
        sum = std::fma(static_cast<float>(17 - std::abs(k)) / 512.0f, x[i + k], sum);
    worst = std::max(worst, std::abs(sum - want[i]));
  }
  EXPECT_LE(worst, problem.outputs[0].tolerance.absolute);
}

}  // namespace
