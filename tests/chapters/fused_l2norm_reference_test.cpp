#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/refuse.hpp"
#include "tests/chapters/reference_support.hpp"

using namespace aisp;

namespace {

using namespace reference_support;

TEST(FusedL2norm, ThreeFourFive) {
  const auto problem = target_named("ch09:fused_l2norm").problem({"f32", {2, 4}});
  const auto y =
      answer(problem, {tensor_of(problem.inputs[0], {3, 0, -4, 0, /* row 1 */ 0, 0, 0, 0})});
  EXPECT_DOUBLE_EQ(y[0], 0.6);
  EXPECT_DOUBLE_EQ(y[2], -0.8);
  for (int i = 4; i < 8; ++i) EXPECT_EQ(y[i], 0.0) << "a zero row stays zero";
}

TEST(FusedL2norm, RowsHaveUnitLengthAtAnyScale) {
  for (const auto& size : target_named("ch09:fused_l2norm").quick) {
    const auto problem = target_named("ch09:fused_l2norm").problem(size);
    const auto y = answer(problem, random_inputs(problem, 3));
    const std::int64_t columns = size.dims[1];
    for (std::int64_t row = 0; row < size.dims[0]; ++row) {
      double squares = 0.0;
      for (std::int64_t i = 0; i < columns; ++i) squares += std::pow(y[row * columns + i], 2);
      ASSERT_NEAR(squares, 1.0, 1e-9) << size.label() << " row " << row;
    }
  }
}

// What the inputs are for: squares in float leave the range of float on every row.
TEST(FusedL2norm, InputsDefeatPlainSquares) {
  for (const auto& size : target_named("ch09:fused_l2norm").quick) {
    const auto problem = target_named("ch09:fused_l2norm").problem(size);
    const auto inputs = random_inputs(problem, 11);
    const std::int64_t columns = size.dims[1];
    for (std::int64_t row = 0; row < size.dims[0]; ++row) {
      float squares = 0.0f;
      for (std::int64_t i = 0; i < columns; ++i) {
        const auto x = static_cast<float>(inputs[0][row * columns + i]);
        squares += x * x;
      }
      ASSERT_TRUE(squares == 0.0f || std::isinf(squares)) << size.label() << " row " << row;
    }
  }
}

TEST(FusedL2norm, FloorAppliesToTinyRows) {
  const auto problem = target_named("ch09:fused_l2norm").problem({"f32", {1, 4}});
  const auto inputs = lab::Inputs{tensor_of(problem.inputs[0], {1e-35, 0, 0, 0})};
  EXPECT_NEAR(answer(problem, inputs)[0], inputs[0][0] / double{1e-30f}, 1e-12);
}

TEST(FusedL2norm, RefusesRowsItCannotCut) {
  const auto& target = target_named("ch09:fused_l2norm");
  try {
    target.problem({"bf16", {8, 4095}});
    FAIL() << "4095 columns are no whole number of 16-byte vectors";
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    EXPECT_NE(std::string(refusal.what()).find("got 4095; use 4096"), std::string::npos)
        << refusal.what();
  }
  EXPECT_NO_THROW(target.problem({"f32", {8, 16384}}));
  EXPECT_THROW(target.problem({"f32", {8, 16388}}), base::Refusal);
  EXPECT_NO_THROW(target.problem({"bf16", {8, 32768}}));
  EXPECT_THROW(target.problem({"bf16", {std::numeric_limits<std::int64_t>::max() / 4096, 8}}),
               base::Refusal);
}

}  // namespace
