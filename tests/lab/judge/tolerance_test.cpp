// The tolerances against the arithmetic they describe: sums done in f32, to nearest and truncated.
#include "lab/judge/tolerance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/number/format.hpp"
#include "lab/case/random.hpp"
#include "lab/judge/judge.hpp"

namespace aisp::lab {
namespace {

// Uniform in (-1, 1), a float.
double draw(std::uint32_t stream, std::int64_t index) {
  const auto bits = philox(17, stream, static_cast<std::uint64_t>(index) / 4)[index % 4];
  return static_cast<float>(2 * unit_interval(bits) - 1);
}

double truncated(double value, double epsilon) {
  const double unit = base::power_of_two(std::ilogb(value)) * epsilon;
  return value == 0 ? 0 : std::trunc(value / unit) * unit;
}

// Largest error over `outputs` sums of bf16 products, as a share of the tolerance.
template <class Add>
double worst_share(std::int64_t length, int outputs, const Accumulator& accumulator, Add add) {
  const Tolerance tolerance = accumulation(Dtype::f64, length, 1.0 / 3, accumulator);
  double worst = 0;
  for (int output = 0; output < outputs; ++output) {
    double exact = 0, sum = 0, pending = 0;
    for (std::int64_t k = 0; k < length; ++k) {
      const double product =
          base::rounded_to<base::bf16>(draw(2 * static_cast<std::uint32_t>(output), k)) *
          base::rounded_to<base::bf16>(draw(2 * static_cast<std::uint32_t>(output) + 1, k));
      exact += product;
      pending += product;
      if ((k + 1) % accumulator.step != 0) continue;
      sum = add(sum + pending);
      pending = 0;
    }
    worst = std::max(worst, std::abs(sum - exact) / tolerance.absolute);
  }
  return worst;
}

// Inside the bound with a margin for the 2^28 outputs of a real run, yet not needlessly wide.
TEST(Accumulation, CoversSumsRoundedToNearest) {
  for (const std::int64_t length : {64, 1024, 4096}) {
    const double share = worst_share(length, 1 << 21 >> std::ilogb(length), fma_f32,
                                     [](double sum) { return static_cast<float>(sum); });
    EXPECT_LT(share, 0.8) << length;
    EXPECT_GT(share, 0.05) << length;
  }
}

TEST(Accumulation, CoversTruncatedSums) {
  for (const std::int64_t length : {64, 1024, 4096}) {
    const double share = worst_share(length, 1 << 21 >> std::ilogb(length), matrix_f32,
                                     [](double sum) { return truncated(sum, 0x1p-23); });
    EXPECT_LT(share, 0.9) << length;
    EXPECT_GT(share, 0.05) << length;
  }
}

// A sum that leaves out its last products is not mistaken for rounding.
TEST(Accumulation, CatchesMissingProducts) {
  const std::int64_t length = 4096, missing = 16;
  const Tolerance tolerance = accumulation(Dtype::f32, length, 1.0 / 3, matrix_f32);
  const double typical = std::sqrt(static_cast<double>(missing)) / 3;
  EXPECT_GT(typical, 50 * tolerance.absolute);
}

TEST(Accumulation, GrowsWithLengthAndEpsilonAndShrinksWithPromotion) {
  const auto absolute = [](std::int64_t length, const Accumulator& accumulator) {
    return accumulation(Dtype::bf16, length, 1.0 / 3, accumulator).absolute;
  };
  EXPECT_LT(absolute(1024, fma_f32), absolute(2048, fma_f32));
  EXPECT_LT(absolute(4096, fma_f32), absolute(4096, matrix_f32));
  EXPECT_LT(absolute(4096, matrix_f32), absolute(4096, matrix_fp8));
  Accumulator promoted = matrix_fp8;
  promoted.promoted_every = 128;
  EXPECT_LT(absolute(8192, promoted), absolute(8192, matrix_fp8) / 4);
  EXPECT_GT(absolute(8192, promoted), absolute(8192, fma_f32));
  promoted.promoted_every = 16384;  // longer than the sum: no promotion takes place
  EXPECT_EQ(absolute(8192, promoted), absolute(8192, matrix_fp8));
}

TEST(Accumulation, RelativePartIsTheOutputsRounding) {
  EXPECT_EQ(accumulation(Dtype::bf16, 4096, 1.0 / 3).relative, 0x1p-8);
  EXPECT_EQ(accumulation(Dtype::f32, 4096, 1.0 / 3).relative, 0x1p-24);
}

TEST(OneSignAccumulation, CoversSumsOfPositiveTerms) {
  for (const std::int64_t length : {16, 1024, 16384}) {
    const Tolerance tolerance = one_sign_accumulation(Dtype::f32, length);
    double worst = 0;
    for (std::uint32_t output = 0; output < 64; ++output) {
      float sum = 0;
      double exact = 0;
      for (std::int64_t k = 0; k < length; ++k) {
        const auto term = static_cast<float>(draw(output, k) + 1);
        sum += term;
        exact += term;
      }
      worst = std::max(worst, std::abs(sum - exact) / exact / tolerance.relative);
    }
    EXPECT_LT(worst, 0.8) << length;
    EXPECT_GT(worst, 0.02) << length;
  }
  EXPECT_EQ(one_sign_accumulation(Dtype::f32, 1).relative, rounding(Dtype::f32).relative);
}

// Any number rounded to the type passes, and moved three steps further away it does not.
// (Around the smallest normal number both parts of the tolerance count, up to 1.5 steps, and above
// a power of two the steps are twice as wide.)
TEST(Rounding, OneRoundingPassesAndThreeStepsMoreDoNot) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::e4m3, Dtype::e5m2}) {
    const Tensor what{.name = "y", .dtype = dtype, .shape = {1}};
    for (std::int64_t i = 0; i < 20000; ++i) {
      // From the subnormals of f16 and fp8 up to 1; f32 and bf16 are normal throughout.
      const double want = draw(5, i) * std::ldexp(1.0, -static_cast<int>(i % 20));
      std::vector<std::byte> got(static_cast<std::size_t>(what.bytes()));
      write_element(dtype, got.data(), 0, want);
      ASSERT_TRUE(judge(what, got, std::span(&want, 1), rounding(dtype)).right) << want;
      const double rounded = read_element(dtype, got.data(), 0);
      const double away = rounded >= want ? 3.0 : -3.0;
      write_element(dtype, got.data(), 0, rounded + away * ulp_at(dtype, want));
      ASSERT_FALSE(judge(what, got, std::span(&want, 1), rounding(dtype)).right) << want;
    }
  }
}

TEST(Rounding, SeveralRoundingsAndIntegers) {
  EXPECT_EQ(rounding(Dtype::f32).relative, 0x1p-24);
  EXPECT_EQ(rounding(Dtype::bf16).relative, 0x1p-8);
  EXPECT_EQ(rounding(Dtype::e4m3).absolute, 0x1p-10);
  const double thrice = std::pow(1 + 0x1p-4, 3) - 1;
  EXPECT_GE(rounding(Dtype::e4m3, 3).relative, thrice);
  EXPECT_LT(rounding(Dtype::e4m3, 3).relative, 1.2 * thrice);
  EXPECT_EQ(rounding(Dtype::i32).relative, 0.0);
  EXPECT_EQ(rounding(Dtype::i32).absolute, 0.5);
}

}  // namespace
}  // namespace aisp::lab
