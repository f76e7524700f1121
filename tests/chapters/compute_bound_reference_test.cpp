// The polynomial of compute_bound: its coefficients, its reference, and a tolerance under which
// every coefficient still counts.
#include "chapters/ch09/compute_bound/polynomial.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "base/refuse.hpp"
#include "tests/chapters/target_under_test.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const std::string& variant, std::int64_t elements) {
  return tests::target("ch09:compute_bound").problem({variant, {elements}});
}

TEST(ComputeBound, CoefficientsAreExactInHalfPrecision) {
  for (const float value : ch09::coefficients) {
    EXPECT_GE(std::abs(value), 0.5f);
    EXPECT_LE(std::abs(value), 1.0f);
    EXPECT_EQ(value * 1024, std::round(value * 1024));
  }
}

TEST(ComputeBound, ReferenceIsTheSumOfPowers) {
  for (const std::string variant : {"f32", "f16"}) {
    const auto made = problem(variant, 88);  // not a multiple of what the reference does abreast
    const auto inputs = tests::random_inputs(made, 3);
    const auto expected = tests::expected_of(made, inputs).at(0);
    for (std::int64_t i = 0; i < 88; ++i) {
      double sum = 0.0;
      for (int power = 0; power <= ch09::degree; ++power)
        sum += ch09::coefficients[static_cast<std::size_t>(power)] * std::pow(inputs[0][i], power);
      EXPECT_NEAR(expected[static_cast<std::size_t>(i)], sum, 1e-12);
    }
  }
}

// At x = 1 a missing coefficient changes the result by at least 1/2.
TEST(ComputeBound, ToleranceSeesEveryCoefficient) {
  EXPECT_LT(problem("f16", 8).outputs[0].tolerance.absolute, 0.25);
  EXPECT_LT(problem("f32", 8).outputs[0].tolerance.absolute, 1e-3);
  EXPECT_GT(problem("f32", 8).outputs[0].tolerance.absolute, 0.0);
}

// The arithmetic that the kernels do, on the host: within the tolerance of its type.
TEST(ComputeBound, SinglePrecisionStaysWithinTheTolerance) {
  const auto made = problem("f32", 4096);
  const auto inputs = tests::random_inputs(made, 11);
  const auto expected = tests::expected_of(made, inputs).at(0);
  for (std::int64_t i = 0; i < 4096; ++i) {
    const auto x = static_cast<float>(inputs[0][i]);
    float y = ch09::coefficients[ch09::degree];
    for (int power = ch09::degree - 1; power >= 0; --power)
      y = std::fma(y, x, ch09::coefficients[static_cast<std::size_t>(power)]);
    EXPECT_NEAR(y, expected[static_cast<std::size_t>(i)], made.outputs[0].tolerance.absolute);
  }
}

TEST(ComputeBound, ElementsThatVectorsCannotCutAreRefused) {
  try {
    problem("f32", 1001);
    FAIL() << "1001 elements were taken";
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    EXPECT_THAT(refusal.what(), testing::HasSubstr("1008"));
  }
}

}  // namespace
