#include <gtest/gtest.h>

#include <cmath>

#include "tests/chapters/reference_support.hpp"

using namespace aisp;

namespace {

using namespace reference_support;

double silu(double v) { return v / (1.0 + std::exp(-v)); }

double to_bf16(double value) {
  std::byte data[2];
  lab::write_element(lab::Dtype::bf16, data, 0, value);
  return lab::read_element(lab::Dtype::bf16, data, 0);
}

TEST(FusedNormActivation, ConstantRowNormalisesToOne) {
  const auto problem = target_named("ch09:fused_norm_activation").problem({"", {2, 8}});
  const auto inputs = lab::Inputs{
      tensor_of(problem.inputs[0], {2, 2, 2, 2, 2, 2, 2, 2, -4, -4, -4, -4, -4, -4, -4, -4}),
      tensor_of(problem.inputs[1], {1, 0.5, 2, 4, 1, 1, 1, 1}),
      tensor_of(problem.inputs[2], {0, 1, -1, 0, 0, 0, 0, 3, 0, 1, -1, 0, 0, 0, 0, 3})};
  const auto out = answer(problem, inputs);
  EXPECT_NEAR(out[0], silu(1.0), 1e-6);
  EXPECT_NEAR(out[1], silu(0.5) + 1.0, 1e-6);
  EXPECT_NEAR(out[2], silu(2.0) - 1.0, 1e-6);
  EXPECT_NEAR(out[8], silu(-1.0), 1e-6);
  EXPECT_NEAR(out[11], silu(-4.0), 1e-6);
  EXPECT_NEAR(out[15], silu(-1.0) + 3.0, 1e-6);
}

// The operators one after another with bf16 between them, on real inputs: inside the tolerance,
// and near enough to its edge that the tolerance is not an empty promise.
TEST(FusedNormActivation, Bf16BetweenOperatorsStaysInsideTheTolerance) {
  const auto& target = target_named("ch09:fused_norm_activation");
  for (const auto& size : target.quick) {
    const auto problem = target.problem(size);
    const auto inputs = random_inputs(problem, 5);
    const auto want = answer(problem, inputs);
    const auto tolerance = problem.outputs[0].tolerance;
    const std::int64_t columns = size.dims[1];
    double worst = 0.0;
    for (std::int64_t row = 0; row < size.dims[0]; ++row) {
      double squares = 0.0;
      for (std::int64_t i = 0; i < columns; ++i)
        squares += std::pow(inputs[0][row * columns + i], 2);
      const double rms = std::sqrt(squares / static_cast<double>(columns) + double{1e-6f});
      for (std::int64_t i = 0; i < columns; ++i) {
        const std::int64_t at = row * columns + i;
        const double scaled = to_bf16(to_bf16(inputs[0][at] / rms) * inputs[1][i]);
        const double got = to_bf16(to_bf16(silu(scaled)) + inputs[2][at]);
        const double allowed = tolerance.absolute + tolerance.relative * std::abs(want[at]);
        worst = std::max(worst, std::abs(got - want[at]) / allowed);
      }
    }
    EXPECT_LE(worst, 1.0) << size.label();
    EXPECT_GT(worst, 0.2) << size.label();
  }
}

}  // namespace
