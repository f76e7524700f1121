// The epilogue's reference against its definition; arithmetic as a kernel does it passes, and each
// usual mistake of an epilogue does not.
#include "lab/judge/epilogue_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/refuse.hpp"
#include "tests/lab/judge/judged_problem.hpp"

namespace aisp::lab {
namespace {

constexpr std::int64_t m = 37, n = 64, k = 512;

JudgedProblem judged(Epilogue epilogue) {
  return JudgedProblem(epilogue_problem("an_epilogue", {"", {m, n, k}}, epilogue));
}

// The sum over [0, depth) of k, plus the bias where there is one, in f32.
std::vector<double> arguments(const JudgedProblem& from, std::int64_t depth = k,
                              bool with_bias = true) {
  std::vector<double> v;
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t column = 0; column < n; ++column) {
      float sum = 0;
      for (std::int64_t i = 0; i < depth; ++i)
        sum += static_cast<float>(from.inputs[0][row * k + i] * from.inputs[1][column * k + i]);
      if (with_bias && from.inputs.size() > 2) sum += static_cast<float>(from.inputs[2][column]);
      v.push_back(sum);
    }
  return v;
}

// SiLU through a tanh that is off by 2^-11 of itself, in either direction.
std::vector<double> activated(std::vector<double> v, double tanh_error = 0x1p-11) {
  for (double& each : v) {
    each = each / 2 * (1 + std::tanh(each / 2) * (1 + tanh_error));
    tanh_error = -tanh_error;
  }
  return v;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

std::vector<double> scaled(std::vector<double> values, double scale) {
  for (double& each : values) each *= scale;
  return values;
}

TEST(EpilogueProblem, ReferenceIsTheDefinition) {
  const auto made = judged(Epilogue::quantise);
  const double scale = made.inputs[3][0];
  double most = 0;
  for (std::int64_t i = 0; i < m * n; ++i) {
    double v = made.inputs[2][i % n];
    for (std::int64_t j = 0; j < k; ++j)
      v += made.inputs[0][i / n * k + j] * made.inputs[1][i % n * k + j];
    const double silu = v / (1 + std::exp(-v));
    const auto at = static_cast<std::size_t>(i);
    EXPECT_NEAR(made.expected[0][at], scale * silu, 1e-10);
    EXPECT_NEAR(made.expected[2][at], v, 1e-12);
    most = std::max(most, std::abs(silu));
  }
  ASSERT_EQ(made.expected[1].size(), 1u);
  EXPECT_NEAR(made.expected[1][0], most, 1e-12);
}

TEST(EpilogueProblem, TensorsFollowTheEpilogue) {
  EXPECT_EQ(judged(Epilogue::none).problem.inputs.size(), 2u);
  EXPECT_EQ(judged(Epilogue::none).problem.outputs.size(), 1u);
  const Problem silu = judged(Epilogue::silu).problem;
  EXPECT_EQ(silu.inputs[2].name, "bias");
  EXPECT_EQ(silu.outputs[1].tensor.count(), 1);
  EXPECT_EQ(silu.flops, 2.0 * m * n * k);
  EXPECT_EQ(silu.bytes, 2.0 * (m * k + n * k + m * n) + 4 * n + 4);
  const Problem quantise = judged(Epilogue::quantise).problem;
  EXPECT_EQ(quantise.outputs[0].tensor.dtype, Dtype::e4m3);
  EXPECT_EQ(quantise.bytes, 2.0 * (m * k + n * k) + 4 * n + 4 + m * n + 4 + 2 * m * n);
}

TEST(EpilogueProblem, ApproximateTanhAndF32SumsPass) {
  const auto silu = judged(Epilogue::silu);
  const auto d = activated(arguments(silu));
  EXPECT_TRUE(silu.judgement(0, d).right) << silu.judgement(0, d).report;
  EXPECT_TRUE(silu.judgement(1, {largest(d)}).right);

  const auto quantise = judged(Epilogue::quantise);
  const auto v = arguments(quantise);
  const auto scale = quantise.inputs[3][0];
  EXPECT_TRUE(quantise.judgement(0, scaled(activated(v), scale)).right);
  EXPECT_TRUE(quantise.judgement(2, v).right);

  const auto none = judged(Epilogue::none);
  EXPECT_TRUE(none.judgement(0, arguments(none)).right);
}

TEST(EpilogueProblem, MistakesDoNot) {
  const auto made = judged(Epilogue::silu);
  const auto wrong_share = [&](const std::vector<double>& d) {
    return static_cast<double>(made.judgement(0, d).wrong) / (m * n);
  };
  EXPECT_GT(wrong_share(activated(arguments(made, k, false))), 0.9) << "bias left out";
  EXPECT_GT(wrong_share(activated(arguments(made, k - 16))), 0.8) << "the last k step left out";
  EXPECT_GT(wrong_share(activated(arguments(made), 0x1p-5)), 0.1) << "tanh to five bits";
  auto relu = arguments(made);
  for (double& each : relu) each = std::max(each, 0.0);
  EXPECT_GT(wrong_share(relu), 0.8) << "another activation";

  auto d = activated(arguments(made), 0);
  std::sort(d.begin(), d.end());
  EXPECT_FALSE(made.judgement(1, {d[d.size() - 2]}).right) << "amax misses an element";
  EXPECT_FALSE(made.judgement(1, {std::abs(d.front())}).right) << "amax of the negative half";
}

// A peer that hands v to its epilogue in bf16, the bias in bf16 too.
std::vector<double> arguments_in_bf16(const JudgedProblem& from) {
  const auto in_bf16 = [](double value) {
    std::byte bits[2];
    write_element(Dtype::bf16, bits, 0, value);
    return read_element(Dtype::bf16, bits, 0);
  };
  auto v = arguments(from, k, false);
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = in_bf16(v[i] + in_bf16(from.inputs[2][static_cast<std::int64_t>(i) % n]));
  return v;
}

TEST(EpilogueProblem, NarrowNumbersOnTheWayPassWhereTheyAreAllowedAlone) {
  for (const auto epilogue : {Epilogue::silu, Epilogue::quantise}) {
    const auto made = judged(epilogue);
    const bool quantise = epilogue == Epilogue::quantise;
    const double scale = quantise ? made.inputs[3][0] : 1.0;
    const auto v = arguments_in_bf16(made);
    const auto activated_v = activated(v, 0);
    std::vector<std::vector<double>> outputs{scaled(activated_v, scale), {largest(activated_v)}};
    if (quantise) outputs.push_back(v);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto allowed = made.problem.outputs.at(i).rounded_between;
      ASSERT_TRUE(allowed.has_value());
      const auto judgement = made.judgement(i, outputs[i], *allowed);
      EXPECT_TRUE(judgement.right) << "output " << i << ": " << judgement.report;
    }
    // e4m3 is coarse enough to hide it; its second output is v itself.
    EXPECT_FALSE(made.judgement(quantise ? 2 : 0, outputs[quantise ? 2 : 0]).right);
  }
}

TEST(EpilogueProblem, MistakesDoNotPassAsNarrowNumbers) {
  const auto made = judged(Epilogue::silu);
  const auto wrong_share = [&](const std::vector<double>& d) {
    const auto allowed = *made.problem.outputs.at(0).rounded_between;
    return static_cast<double>(made.judgement(0, d, allowed).wrong) / (m * n);
  };
  EXPECT_GT(wrong_share(activated(arguments(made, k, false))), 0.9) << "bias left out";
  EXPECT_GT(wrong_share(activated(arguments(made, k - 16))), 0.8) << "the last k step left out";
  // The bound is tight: a v with one bit less is not within it.
  auto coarse = arguments(made);
  for (double& each : coarse) each *= 1 + 0x1p-6;
  EXPECT_GT(wrong_share(activated(coarse)), 0.1) << "v to six bits";
}

// The range of b follows K, so that SiLU works where it bends and e4m3 is used to its end.
TEST(EpilogueProblem, ArgumentsStayWhereSiluBends) {
  const auto made = judged(Epilogue::quantise);
  double squares = 0;
  for (const double v : made.expected[2]) squares += v * v;
  EXPECT_NEAR(std::sqrt(squares / (m * n)), 2.08, 0.2) << "2 of the product, 1 / sqrt(3) of bias";
  EXPECT_LT(largest(made.expected[2]), 17.0);
}

TEST(EpilogueProblem, RefusesRowsThatAreNotAligned) {
  const auto refusal = [](Epilogue epilogue, std::vector<std::int64_t> dims) -> std::string {
    try {
      epilogue_problem("an_epilogue", {"", std::move(dims)}, epilogue);
    } catch (const base::Refusal& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(Epilogue::silu, {8, 8, 16}), "");
  EXPECT_NE(refusal(Epilogue::silu, {8, 12, 16}).find("an_epilogue in bf16"), std::string::npos);
  EXPECT_NE(refusal(Epilogue::quantise, {8, 8, 16}).find("pad to 8x16x16"), std::string::npos)
      << "rows of e4m3 are half as long";
}

}  // namespace
}  // namespace aisp::lab
