#include <gtest/gtest.h>

#include <cmath>

#include "base/refuse.hpp"
#include "tests/chapters/reference_support.hpp"

using namespace aisp;

namespace {

using namespace reference_support;

lab::Problem problem_of(const std::string& variant, std::int64_t rows, std::int64_t columns) {
  return target_named("ch09:tile_program").problem({variant, {rows, columns}});
}

std::vector<double> cycle(const std::vector<double>& of, std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(of[static_cast<std::size_t>(i) % of.size()]);
  return values;
}

TEST(TileProgram, SoftmaxOfEqualAndOfUnequalScores) {
  const auto problem = problem_of("softmax", 2, 8);
  std::vector<double> scores(16, 2.0);
  scores[8] = 4.0;  // e^2 times each of the seven others
  const auto y = answer(problem, {tensor_of(problem.inputs[0], scores)});
  EXPECT_DOUBLE_EQ(y[3], 0.125);
  const double others = 1 / (std::exp(2.0) + 7);
  EXPECT_NEAR(y[8], std::exp(2.0) * others, 1e-15);
  EXPECT_NEAR(y[9], others, 1e-15);
}

TEST(TileProgram, AddIsAVectorOfRowsTimesColumns) {
  const auto problem = problem_of("add", 3, 5);
  EXPECT_EQ(problem.inputs[0].shape, std::vector<std::int64_t>{15});
  const auto c = answer(problem, {tensor_of(problem.inputs[0], cycle({0.5, -0.25}, 15)),
                                  tensor_of(problem.inputs[1], cycle({0.125}, 15))});
  EXPECT_EQ(c[0], 0.625);
  EXPECT_EQ(c[13], -0.125);
}

TEST(TileProgram, LayernormHasZeroMeanAndUnitSpread) {
  const auto problem = problem_of("layernorm", 1, 64);
  const auto y = answer(problem, {tensor_of(problem.inputs[0], cycle({1.0, 2.0}, 64)),
                                  tensor_of(problem.inputs[1], cycle({1.0, 1.5}, 64)),
                                  tensor_of(problem.inputs[2], cycle({0.0, 0.25}, 64))});
  const double one = 0.5 / std::sqrt(0.25 + double{1e-5f});
  EXPECT_NEAR(y[0], -one, 1e-15);
  EXPECT_NEAR(y[1], 1.5 * one + 0.25, 1e-15);
}

TEST(TileProgram, CrossEntropyIsTheLogarithmOfTheLabelsShare) {
  const auto problem = problem_of("cross_entropy", 2, 8);
  std::vector<double> scores(16, 1.0);
  scores[8 + 3] = 3.0;
  const auto loss =
      answer(problem, {tensor_of(problem.inputs[0], scores), tensor_of(problem.inputs[1], {5, 3})});
  EXPECT_NEAR(loss[0], std::log(8.0), 1e-15);
  EXPECT_NEAR(loss[1], std::log(std::exp(2.0) + 7) - 2, 1e-15);
}

TEST(TileProgram, CountsEachByteOnceAndRefusesWhatTheRungsCannotTake) {
  EXPECT_EQ(problem_of("softmax", 10, 64).bytes, 2560.0);
  EXPECT_EQ(problem_of("add", 10, 64).bytes, 7680.0);
  EXPECT_EQ(problem_of("cross_entropy", 10, 64).bytes, 1280.0 + 80);
  EXPECT_THROW(problem_of("softmax", 10, 65), base::Refusal);
  EXPECT_THROW(problem_of("softmax", 0, 64), base::Refusal);
  EXPECT_THROW(problem_of("softmax", 10, 65536), base::Refusal);
  EXPECT_THROW(problem_of("layernorm", 10, 56), base::Refusal);
  EXPECT_NO_THROW(problem_of("add", 7, 3001));
}

}  // namespace
