// The machine ceilings that are not matrix products: copy and multiply-add.
#include <gmock/gmock.h>

#include <cmath>

#include "base/refuse.hpp"
#include "chapters/roof/fma/recurrence.hpp"
#include "tests/chapters/target_under_test.hpp"

using namespace aisp;

namespace {

TEST(RoofCopy, ExpectsExactlyItsInput) {
  const auto problem = tests::target("roof:copy").problem({"", {1003}});
  const auto inputs = tests::random_inputs(problem, 5);
  const auto expected = tests::expected_of(problem, inputs).at(0);
  for (std::int64_t i = 0; i < 1003; ++i)
    ASSERT_EQ(expected[static_cast<std::size_t>(i)], inputs[0][i]);
  EXPECT_EQ(problem.outputs[0].tolerance.absolute, 0.0);
  EXPECT_EQ(problem.outputs[0].tolerance.relative, 0.0);
  EXPECT_DOUBLE_EQ(problem.bytes, 2.0 * 4 * 1003);
}

TEST(RoofFma, ReferenceIteratesWithItsOwnCoefficients) {
  const std::int64_t elements = 64, steps = 37;
  for (const std::string variant : {"f32", "f16"}) {
    const auto problem = tests::target("roof:fma").problem({variant, {elements, steps}});
    const auto inputs = tests::random_inputs(problem, 9);
    const auto expected = tests::expected_of(problem, inputs).at(0);
    for (std::int64_t i = 0; i < elements; ++i) {
      const double a = inputs[1][i % (elements / roof::chains)];
      const double b = inputs[2][i % (elements / roof::chains)];
      // Closed form of the recurrence.
      const double fixed = b / (1 - a);
      const double want = std::pow(a, steps) * (inputs[0][i] - fixed) + fixed;
      EXPECT_NEAR(expected[static_cast<std::size_t>(i)], want, 1e-12) << variant << ' ' << i;
      EXPECT_LE(std::abs(a), roof::largest_factor);
    }
    EXPECT_DOUBLE_EQ(problem.flops, 2.0 * static_cast<double>(elements * steps));
  }
}

TEST(RoofFma, SinglePrecisionStaysWithinTheTolerance) {
  const auto problem = tests::target("roof:fma").problem({"f32", {4096, 500}});
  const auto inputs = tests::random_inputs(problem, 21);
  const auto expected = tests::expected_of(problem, inputs).at(0);
  for (std::int64_t i = 0; i < 4096; ++i) {
    const auto a = static_cast<float>(inputs[1][roof::coefficient_of(i, 4096)]);
    const auto b = static_cast<float>(inputs[2][roof::coefficient_of(i, 4096)]);
    auto y = static_cast<float>(inputs[0][i]);
    for (int step = 0; step < 500; ++step) y = std::fma(y, a, b);
    EXPECT_NEAR(y, expected[static_cast<std::size_t>(i)], problem.outputs[0].tolerance.absolute);
  }
}

TEST(RoofFma, ElementsThatChainsCannotShareAreRefused) {
  EXPECT_THROW(tests::target("roof:fma").problem({"f32", {1001, 8}}), base::Refusal);
  EXPECT_THROW(tests::target("roof:fma").problem({"f16", {1000, 8}}), base::Refusal);
  EXPECT_NO_THROW(tests::target("roof:fma").problem({"f32", {1000, 8}}));
}

}  // namespace
