#include <gtest/gtest.h>

#include <cmath>

#include "base/refuse.hpp"
#include "tests/chapters/reference_support.hpp"

using namespace aisp;

namespace {

using namespace reference_support;

TEST(MemoryBound, StepsOneAfterAnother) {
  const auto problem = target_named("ch09:memory_bound").problem({"", {5}});
  // -1: -1.25 leaks to -0.15625; 1: 1.75 squared, plus one, halved, squared is over the clamp of 3.
  const auto inputs = lab::Inputs{tensor_of(problem.inputs[0], {-1.0, -1.0 / 8, 0.0, 0.5, 1.0})};
  const auto y = answer(problem, inputs);
  const auto after_relu = [](double u) { return std::pow((u * u + 1) / 2, 2); };
  EXPECT_DOUBLE_EQ(y[0], after_relu(-0.15625));
  EXPECT_DOUBLE_EQ(y[1], after_relu(0.0625));
  EXPECT_DOUBLE_EQ(y[2], after_relu(0.25));
  EXPECT_DOUBLE_EQ(y[3], 1.0);
  EXPECT_DOUBLE_EQ(y[4], 3.0);
}

// Eight roundings to float, one after another, stay inside the derived tolerance.
TEST(MemoryBound, FloatArithmeticStaysInsideTheTolerance) {
  const auto problem = target_named("ch09:memory_bound").problem({"", {200000}});
  const auto inputs = random_inputs(problem, 7);
  const auto want = answer(problem, inputs);
  const auto tolerance = problem.outputs[0].tolerance;
  double worst = 0.0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    volatile float t = inputs[0].as<float>()[i];  // volatile: no contraction
    t = 1.5f * t;
    t = t + 0.25f;
    t = std::fmax(t, 0.125f * t);
    t = t * t;
    t = t + 1.0f;
    t = 0.5f * t;
    t = t * t;
    t = std::fmin(t, 3.0f);
    const double error = std::abs(t - want[i]);
    ASSERT_LE(error, tolerance.absolute + tolerance.relative * std::abs(want[i])) << i;
    worst = std::max(worst, error / (tolerance.relative * std::abs(want[i])));
  }
  EXPECT_GT(worst, 0.3) << "the tolerance is far wider than the arithmetic needs";
}

TEST(MemoryBound, CountsEachByteOnce) {
  const auto problem = target_named("ch09:memory_bound").problem({"", {1000}});
  EXPECT_EQ(problem.bytes, 8000.0);
  EXPECT_THROW(target_named("ch09:memory_bound").problem({"", {0}}), base::Refusal);
}

}  // namespace
