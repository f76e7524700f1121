// The perceptron and the grouped product against their definitions, and what their tolerances see.
#include "lab/judge/batch_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number/format.hpp"
#include "base/refuse.hpp"
#include "tests/lab/judge/judged_problem.hpp"

namespace aisp::lab {
namespace {

constexpr std::int64_t rows = 12, n = 256, k = 64;

std::string refusal(Problem (*make)(const std::string&, const Size&),
                    std::vector<std::int64_t> dims) {
  try {
    make("a_batch", {"", std::move(dims)});
  } catch (const base::Refusal& refused) {
    EXPECT_EQ(refused.exit(), base::Exit::usage);
    return refused.what();
  }
  return "";
}

// y computed with `round` on each hidden value, over `width` of them.
template <class Round>
std::vector<double> mlp(const Inputs& inputs, std::int64_t width, Round round) {
  std::vector<double> y;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<double> hidden;
    for (std::int64_t i = 0; i < width; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < k; ++j) sum += inputs[0][row * k + j] * inputs[1][i * k + j];
      hidden.push_back(round(sum));
    }
    for (std::int64_t column = 0; column < k; ++column) {
      double sum = 0;
      for (std::int64_t i = 0; i < width; ++i)
        sum += hidden[static_cast<std::size_t>(i)] * inputs[2][column * n + i];
      y.push_back(sum);
    }
  }
  return y;
}

double relu(double value) { return std::max(value, 0.0); }

TEST(MlpProblem, ReferenceIsTheDefinition) {
  const JudgedProblem made(mlp_problem("a_batch", {"", {rows, n, k, 4}}));
  const auto y = mlp(made.inputs, n, relu);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(made.expected[0][i], y[i], 1e-10);
  EXPECT_EQ(made.problem.flops, 4.0 * rows * n * k);
  EXPECT_EQ(made.problem.bytes, 2.0 * (2 * rows * k + 2 * n * k));
}

TEST(MlpProblem, RoundedHiddenLayerPassesAndMistakesDoNot) {
  const JudgedProblem made(mlp_problem("a_batch", {"", {rows, n, k, 4}}));
  const auto bf16 = [](double sum) { return base::rounded_to<base::bf16>(relu(sum)); };
  const Judgement good = made.judgement(0, mlp(made.inputs, n, bf16));
  EXPECT_TRUE(good.right) << good.report;
  const auto wrong_share = [&](const std::vector<double>& y) {
    return static_cast<double>(made.judgement(0, y).wrong) / (rows * k);
  };
  EXPECT_GT(wrong_share(mlp(made.inputs, n - 16, bf16)), 0.8) << "16 hidden values left out";
  EXPECT_GT(wrong_share(mlp(made.inputs, n, [](double sum) { return sum; })), 0.9) << "no max";
  const auto five_bits = [](double sum) { return base::rounded_to<base::e4m3>(relu(sum)); };
  EXPECT_GT(wrong_share(mlp(made.inputs, n, five_bits)), 0.1) << "hidden layer in fp8";
}

// y keeps the scale that the tolerance assumes.
TEST(MlpProblem, OutputsHaveADeviationOfTwo) {
  const JudgedProblem made(mlp_problem("a_batch", {"", {rows, n, k, 4}}));
  double squares = 0;
  for (const double y : made.expected[0]) squares += y * y;
  EXPECT_NEAR(std::sqrt(squares / (rows * k)), 2.0, 0.4);
}

TEST(MlpProblem, RefusesMicroBatchesOfDifferentSizes) {
  EXPECT_EQ(refusal(mlp_problem, {12, 16, 16, 5}),
            "a_batch takes rows in equal micro-batches: 12 rows do not divide by 5; use 15");
  EXPECT_EQ(refusal(mlp_problem, {12, 16, 16, 4}), "");
}

TEST(GroupStarts, CoverAllRowsUnevenly) {
  for (const std::int64_t groups : {1, 8, 31, 64}) {
    const auto starts = group_starts(8192, groups);
    ASSERT_EQ(starts.size(), static_cast<std::size_t>(groups + 1));
    EXPECT_EQ(starts.front(), 0);
    EXPECT_EQ(starts.back(), 8192);
    EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
    EXPECT_EQ(starts, group_starts(8192, groups)) << "the same every time";
    if (groups == 1) continue;
    std::set<std::int64_t> sizes;
    for (std::size_t g = 0; g < static_cast<std::size_t>(groups); ++g)
      sizes.insert(starts[g + 1] - starts[g]);
    EXPECT_GT(*sizes.rbegin(), 3 * *sizes.begin()) << groups;
    EXPECT_TRUE(std::any_of(sizes.begin(), sizes.end(), [](auto size) { return size % 2 == 1; }));
  }
  const auto few = group_starts(5, 16);
  EXPECT_EQ(few.back(), 5) << "most groups are empty then";
}

TEST(GroupedProblem, EachRowMeetsTheWeightsOfItsGroup) {
  constexpr std::int64_t groups = 5, depth = 16, columns = 24;
  const JudgedProblem made(grouped_problem("a_batch", {"", {rows, columns, depth, groups}}));
  const auto starts = group_starts(rows, groups);
  for (std::int64_t group = 0; group < groups; ++group)
    for (std::int64_t row = starts[static_cast<std::size_t>(group)];
         row < starts[static_cast<std::size_t>(group + 1)]; ++row)
      for (std::int64_t column = 0; column < columns; ++column) {
        double sum = 0;
        for (std::int64_t i = 0; i < depth; ++i)
          sum += made.inputs[0][row * depth + i] *
                 made.inputs[1][(group * columns + column) * depth + i];
        EXPECT_NEAR(made.expected[0][static_cast<std::size_t>(row * columns + column)], sum, 1e-12);
      }
}

TEST(GroupedProblem, WeightsOfEmptyGroupsAreNotCounted) {
  const auto starts = group_starts(5, 16);
  double used = 0;
  for (std::size_t g = 0; g < 16; ++g) used += starts[g] != starts[g + 1];
  const Problem made = grouped_problem("a_batch", {"", {5, 16, 32, 16}});
  EXPECT_EQ(made.bytes, 2.0 * (5 * 32 + used * 16 * 32 + 5 * 16));
  EXPECT_EQ(made.flops, 2.0 * 5 * 16 * 32);
}

TEST(GroupedProblem, RefusesUnalignedRowsAndTooManyGroups) {
  EXPECT_NE(refusal(grouped_problem, {8, 12, 16, 2}).find("pad to 8x16x16"), std::string::npos);
  EXPECT_EQ(refusal(grouped_problem, {8, 16, 16, 2000}),
            "a_batch takes up to 1024 groups: got 2000");
}

}  // namespace
}  // namespace aisp::lab
