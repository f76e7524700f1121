// The matrix product as a problem: shapes, work, reference and what is refused.
#include "lab/judge/gemm_problem.hpp"

#include <gtest/gtest.h>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

Problem problem(const std::string& types, std::vector<std::int64_t> dims, GemmB b = GemmB::nk) {
  return gemm_problem("a_gemm", {types, std::move(dims)}, gemm_types(types), b);
}

std::string refusal(const std::string& types, std::vector<std::int64_t> dims) {
  try {
    problem(types, std::move(dims));
  } catch (const base::Refusal& refused) {
    EXPECT_EQ(refused.exit(), base::Exit::usage);
    return refused.what();
  }
  return "";
}

TEST(GemmProblem, CountsOperationsAndEachByteOnce) {
  const Problem bf16 = problem("bf16", {3, 8, 16});
  EXPECT_EQ(bf16.flops, 2.0 * 3 * 8 * 16);
  EXPECT_EQ(bf16.bytes, 2.0 * (3 * 16 + 8 * 16 + 3 * 8));
  const Problem fp8 = problem("fp8", {3, 16, 32});
  EXPECT_EQ(fp8.bytes, 3.0 * 32 + 16 * 32 + 2 * 3 * 16) << "one byte in, two out";
}

TEST(GemmProblem, ReferenceFollowsTheLayoutOfB) {
  for (const GemmB layout : {GemmB::kn, GemmB::nk}) {
    const Problem made = problem("fp32", {2, 4, 8}, layout);
    const Inputs inputs{random_tensor(made.inputs[0], 1, 0), random_tensor(made.inputs[1], 1, 1)};
    std::vector<std::vector<double>> expected{std::vector<double>(8)};
    made.reference(inputs, expected);
    for (int m = 0; m < 2; ++m)
      for (int n = 0; n < 4; ++n) {
        double sum = 0;
        for (int k = 0; k < 8; ++k)
          sum += inputs[0][m * 8 + k] * inputs[1][layout == GemmB::nk ? n * 8 + k : k * 4 + n];
        EXPECT_NEAR(expected[0][static_cast<std::size_t>(m * 4 + n)], sum, 1e-12);
      }
  }
}

TEST(GemmProblem, TheMatrixUnitIsAllowedWhatItsArithmeticLoses) {
  const auto absolute = [](const std::string& types) {
    return problem(types, {16, 16, 4096}).outputs[0].tolerance.absolute;
  };
  EXPECT_LT(absolute("fp32"), absolute("tf32"));
  EXPECT_LT(absolute("bf16"), absolute("fp8"));
  EXPECT_LT(absolute("tf32"), 1.0) << "a wrong product of 4096 terms is off by tens";
}

TEST(GemmProblem, IntegersAreExact) {
  const Problem made = problem("int8", {3, 16, 160});
  EXPECT_EQ(made.outputs[0].tensor.dtype, Dtype::i32);
  EXPECT_EQ(made.outputs[0].tolerance.absolute, 0.0);
  EXPECT_EQ(made.outputs[0].tolerance.relative, 0.0);
  EXPECT_EQ(made.bytes, 3.0 * 160 + 16 * 160 + 4 * 3 * 16);
  const Inputs inputs{random_tensor(made.inputs[0], 1, 0), random_tensor(made.inputs[1], 1, 1)};
  std::vector<std::vector<double>> expected{std::vector<double>(48)};
  made.reference(inputs, expected);
  const auto a = inputs[0].as<std::int8_t>(), b = inputs[1].as<std::int8_t>();
  for (std::size_t i = 0; i < 48; ++i) {
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < 160; ++k) sum += a[i / 16 * 160 + k] * b[i % 16 * 160 + k];
    EXPECT_EQ(expected[0][i], sum);
  }
}

TEST(GemmProblem, MixedOperandsKeepTheirTypes) {
  const Problem made = problem("bf16_int8", {3, 16, 32});
  EXPECT_EQ(made.inputs[0].dtype, Dtype::bf16);
  EXPECT_EQ(made.inputs[1].dtype, Dtype::i8);
  EXPECT_EQ(made.inputs[1].values.high, 127.0);
  EXPECT_EQ(made.bytes, 2.0 * 3 * 32 + 16 * 32 + 2 * 3 * 16);
  EXPECT_NEAR(made.outputs[0].tolerance.absolute,
              127 * problem("bf16", {3, 16, 32}).outputs[0].tolerance.absolute, 1e-12);
}

TEST(GemmProblem, RefusesWhatNoKernelTakesWithTheNumbers) {
  EXPECT_EQ(refusal("bf16", {5, 12, 16}),
            "a_gemm in bf16 needs N and K divisible by 8 (16-byte rows): got 5x12x16; pad to "
            "5x16x16");
  EXPECT_EQ(refusal("fp32", {1 << 20, 4, 4}),
            "a_gemm takes extents up to 524288: got 1048576x4x4; split the product");
  EXPECT_NE(refusal("fp7", {4, 4, 4}).find("one of bf16, bf16_fp8, bf16_int8, fp16, fp32, fp8"),
            std::string::npos);
  EXPECT_EQ(refusal("int8", {16, 16, 1 << 18}),
            "a_gemm in i8 takes K up to 133144, where i32 holds every sum: got 262144; split the "
            "product along K");
  EXPECT_NE(refusal("bf16_int8", {5, 16, 24}).find("in i8 needs N and K divisible by 16"),
            std::string::npos)
      << "the narrower operand decides";
}

}  // namespace
}  // namespace aisp::lab
