// Attention against its definition, and what its tolerance sees: the arithmetic of a fused kernel
// passes, each of the mistakes such a kernel can make does not.
#include "lab/judge/attention_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/number/format.hpp"
#include "base/refuse.hpp"
#include "tests/lab/judge/judged_problem.hpp"

namespace aisp::lab {
namespace {

using Sums = std::vector<double>;

AttentionShape shape_of(std::int64_t queries, std::int64_t keys, std::int64_t left = -1,
                        std::int64_t right = -1) {
  return {.batch = 2,
          .heads = 4,
          .kv_heads = 2,
          .queries = queries,
          .keys = keys,
          .head_size = 64,
          .left = left,
          .right = right};
}

bool sees(const AttentionShape& shape, std::int64_t i, std::int64_t j, std::int64_t too_many = 0) {
  const std::int64_t beside = i + shape.keys - shape.queries;
  return (shape.left < 0 || beside - shape.left <= j) &&
         (shape.right < 0 || j <= beside + shape.right + too_many);
}

// A problem whose scores and values are at hand in float64.
struct Made {
  AttentionShape shape;
  JudgedProblem judged;
  Sums values{}, scores{};  // (batch, heads of keys, keys, size), (batch, heads, queries, keys)

  explicit Made(const AttentionShape& of, Dtype dtype = Dtype::bf16)
      : shape(of), judged(attention_problem("an_attention", {"", {}}, of, dtype)) {
    Sums read[3];
    for (std::size_t input = 0; input < 3; ++input)
      for (std::int64_t i = 0; i < judged.problem.inputs[input].count(); ++i)
        read[input].push_back(judged.inputs[input][i]);
    values = read[2];
    const auto size = shape.head_size;
    for (std::int64_t row = 0; row < shape.batch * shape.heads * shape.queries; ++row)
      for (std::int64_t j = 0; j < shape.keys; ++j) {
        const double* q = &read[0][static_cast<std::size_t>(row * size)];
        const double* k =
            &read[1][key_row(row / shape.queries, j) * static_cast<std::size_t>(size)];
        scores.push_back(std::inner_product(q, q + size, k, 0.0) /
                         std::sqrt(static_cast<double>(size)));
      }
  }

  // Neighbouring query heads share a head of keys; heads are counted over the batch.
  std::size_t key_row(std::int64_t head, std::int64_t j) const {
    return static_cast<std::size_t>(head / (shape.heads / shape.kv_heads) * shape.keys + j);
  }
  double score(std::int64_t head, std::int64_t i, std::int64_t j) const {
    return scores[static_cast<std::size_t>((head * shape.queries + i) * shape.keys + j)];
  }
  void add(Sums& row, double weight, std::int64_t head, std::int64_t j) const {
    for (std::size_t e = 0; e < row.size(); ++e)
      row[e] += weight * values[key_row(head, j) * row.size() + e];
  }

  // The output by `row(head, i)`.
  template <class Row>
  Sums all_rows(Row row) const {
    Sums o;
    for (std::int64_t head = 0; head < shape.batch * shape.heads; ++head)
      for (std::int64_t i = 0; i < shape.queries; ++i) {
        const Sums of = row(head, i);
        o.insert(o.end(), of.begin(), of.end());
      }
    return o;
  }
  Judgement judgement(const Sums& o) const { return judged.judgement(0, o); }
  double wrong_share(const Sums& o) const {
    return static_cast<double>(judgement(o).wrong) / static_cast<double>(o.size());
  }
};

Sums definition(const Made& made) {
  return made.all_rows([&](std::int64_t head, std::int64_t i) {
    Sums row(static_cast<std::size_t>(made.shape.head_size), 0.0);
    double sum = 0;
    for (std::int64_t j = 0; j < made.shape.keys; ++j) {
      if (!sees(made.shape, i, j)) continue;
      const double weight = std::exp(made.score(head, i, j));
      sum += weight;
      made.add(row, weight, head, j);
    }
    for (double& value : row) value = sum > 0 ? value / sum : 0.0;
    return row;
  });
}

// The fused algorithm, block of keys by block of keys, and ways to get it wrong.
struct Fused {
  std::int64_t block = 16;
  double scale = 1.0;
  std::int64_t too_many = 0;   // keys past the causal edge
  std::int64_t left_out = -1;  // block of keys
  bool masked = true;
  bool outputs_rescaled = true, sum_rescaled = true;
  bool largest_kept = true;  // else a block's weights are relative to its own largest score
};

template <auto type>
Sums fused(const Made& made, const Fused& how) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  const AttentionShape& shape = made.shape;
  return made.all_rows([&](std::int64_t head, std::int64_t i) {
    Sums row(static_cast<std::size_t>(shape.head_size), 0.0);
    double sum = 0, largest = none;
    for (std::int64_t first = 0; first < shape.keys; first += how.block) {
      if (first / how.block == how.left_out) continue;
      std::vector<std::pair<std::int64_t, double>> scores;
      double largest_here = how.largest_kept ? largest : none;
      for (std::int64_t j = first; j < std::min(first + how.block, shape.keys); ++j) {
        if (how.masked && !sees(shape, i, j, how.too_many)) continue;
        scores.emplace_back(j, how.scale * made.score(head, i, j));
        largest_here = std::max(largest_here, scores.back().second);
      }
      if (scores.empty()) continue;
      const double shrunk = how.largest_kept ? std::exp(largest - largest_here) : 1.0;
      largest = largest_here;
      if (how.sum_rescaled) sum *= shrunk;
      if (how.outputs_rescaled)
        for (double& value : row) value *= shrunk;
      for (const auto& [j, score] : scores) {
        const double weight = std::exp(score - largest);
        sum += weight;
        made.add(row, base::rounded_to<type>(weight), head, j);
      }
    }
    for (double& value : row) value /= sum;
    return row;
  });
}

TEST(AttentionProblem, ReferenceIsTheDefinition) {
  // More than one block of 64 queries and 256 keys, ragged; windows; queries that see nothing.
  for (const AttentionShape& shape :
       {shape_of(70, 70), shape_of(70, 70, -1, 0), shape_of(67, 301, 20, 5),
        shape_of(9, 270, -1, 0), shape_of(90, 30, -1, 0), shape_of(1, 1)}) {
    const Made made(shape);
    const Sums o = definition(made);
    ASSERT_EQ(o.size(), made.judged.expected[0].size());
    double worst = 0;
    for (std::size_t i = 0; i < o.size(); ++i)
      worst = std::max(worst, std::abs(made.judged.expected[0][i] - o[i]));
    EXPECT_LT(worst, 1e-12) << shape.queries << " x " << shape.keys;
  }
}

TEST(AttentionProblem, CountsWhatTheFunctionNeeds) {
  EXPECT_EQ(shape_of(96, 96).pairs(), 96 * 96);
  EXPECT_EQ(shape_of(96, 96, -1, 0).pairs(), 96 * 97 / 2);
  EXPECT_EQ(shape_of(96, 96, 1, 0).pairs(), 2 * 96 - 1);
  EXPECT_EQ(shape_of(90, 30, -1, 0).pairs(), 30 * 31 / 2) << "60 queries see nothing";
  const auto problem = attention_problem("an_attention", {"", {}}, shape_of(96, 96), Dtype::bf16);
  EXPECT_EQ(problem.flops, 4.0 * 96 * 96 * 64 * 8);
  EXPECT_EQ(problem.bytes, 2.0 * 96 * 64 * (2 * 8 + 2 * 4));
}

// The scale that the tolerance assumes, and that makes the softmax one of many unequal terms.
TEST(AttentionProblem, ScoresHaveADeviationOfTwo) {
  const Made made(shape_of(40, 40));
  double squares = 0;
  for (const double score : made.scores) squares += score * score;
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(made.scores.size())), 2.0, 0.1);
}

TEST(AttentionProblem, FusedArithmeticPasses) {
  for (const AttentionShape& shape : {shape_of(130, 130), shape_of(130, 130, -1, 0)}) {
    const Made bf16(shape), f16(shape, Dtype::f16);
    const Judgement good = bf16.judgement(fused<base::bf16>(bf16, {}));
    EXPECT_TRUE(good.right) << good.report;
    const Judgement better = f16.judgement(fused<base::f16>(f16, {}));
    EXPECT_TRUE(better.right) << better.report;
    EXPECT_GT(f16.wrong_share(fused<base::bf16>(f16, {})), 0) << "weights in bf16, f16 was said";
  }
}

TEST(AttentionProblem, MistakesOfAFusedKernelAreCaught) {
  const Made made(shape_of(130, 130, -1, 0));
  const auto share = [&](const Fused& how) {
    return made.wrong_share(fused<base::bf16>(made, how));
  };
  EXPECT_GT(share({.outputs_rescaled = false}), 0.5) << "outputs not rescaled";
  EXPECT_GT(share({.sum_rescaled = false}), 0.5) << "sum not rescaled";
  EXPECT_GT(share({.outputs_rescaled = false, .sum_rescaled = false}), 0.5) << "neither rescaled";
  EXPECT_GT(share({.largest_kept = false}), 0.5) << "the largest of the block alone";
  EXPECT_GT(share({.left_out = 0}), 0.9) << "first block of keys left out";
  EXPECT_GT(share({.left_out = 3}), 0.5) << "a block of keys left out";
  EXPECT_GT(share({.too_many = 1}), 0.2) << "one key past the edge";
  EXPECT_GT(share({.too_many = -1}), 0.2) << "one key short of the edge";
  EXPECT_GT(share({.scale = 1.05}), 0.2) << "scale off by 5 %";
  EXPECT_GT(share({.masked = false}), 0.9) << "no mask";
  EXPECT_GT(made.wrong_share(fused<base::e4m3>(made, {})), 0.1) << "weights in fp8";
}

// A long row dilutes one block of keys; it still shows.
TEST(AttentionProblem, OneOfManyBlocksLeftOutIsCaught) {
  const Made made(shape_of(4, 4096));
  const Judgement good = made.judgement(fused<base::bf16>(made, {.block = 64}));
  EXPECT_TRUE(good.right) << good.report;
  EXPECT_GT(made.wrong_share(fused<base::bf16>(made, {.block = 64, .left_out = 17})), 0.1);
}

std::string refusal(AttentionShape shape) {
  try {
    attention_problem("an_attention", {"", {}}, shape, Dtype::bf16);
  } catch (const base::Refusal& refused) {
    EXPECT_EQ(refused.exit(), base::Exit::usage);
    return refused.what();
  }
  return "";
}

TEST(AttentionProblem, RefusesWhatThereIsNoKernelFor) {
  AttentionShape shape = shape_of(20, 20);
  EXPECT_EQ(refusal(shape), "");
  shape.kv_heads = 3;
  EXPECT_EQ(refusal(shape),
            "an_attention shares each head of keys between equally many query heads: 4 do not "
            "divide by 3; use 6 query heads");
  shape = shape_of(20, 20);
  shape.head_size = 80;
  EXPECT_EQ(refusal(shape), "an_attention takes heads of 64, 96, 128 or 256 elements: got 80");
  EXPECT_EQ(refusal(shape_of(20, 0)), "an_attention needs at least one of everything: got 0 keys");
  EXPECT_EQ(refusal(shape_of(20, 600000)),
            "an_attention takes sequences of up to 524288 rows: got 600000");
  shape = shape_of(20, 20);
  shape.batch = 20000;
  EXPECT_EQ(refusal(shape),
            "an_attention takes up to 65535 heads of all sequences together: got 20000 x 4; split "
            "the batch");
}

}  // namespace
}  // namespace aisp::lab
