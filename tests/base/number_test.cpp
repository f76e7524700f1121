// The number formats against an independent slow reference: the nearest code by binary search.
#include "base/number/format.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace aisp;

namespace {

using base::decode;
using base::encode;
using base::Format;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <Format f>
struct Named {
  static constexpr Format format = f;
};

template <class T>
class NumberFormat : public testing::Test {};
using Formats = testing::Types<Named<base::bf16>, Named<base::f16>, Named<base::e4m3>,
                               Named<base::e5m2>, Named<base::tf32>>;
TYPED_TEST_SUITE(NumberFormat, Formats);

// The value of a magnitude code, from the definition of the format with ldexp.
double defined_value(const Format& f, std::uint32_t code) {
  const int field = static_cast<int>(code >> f.fraction_bits);
  const double fraction = std::ldexp(code & ((1u << f.fraction_bits) - 1), -f.fraction_bits);
  if (field == 0) return std::ldexp(fraction, 1 - f.bias());
  return std::ldexp(1.0 + fraction, field - f.bias());
}

// Nearest code to a finite value, ties to even; the code after the largest stands for overflow.
std::uint32_t nearest_code(const Format& f, double value) {
  const double magnitude = std::abs(value);
  std::uint32_t low = 0, high = f.largest_code() + 1;
  if (magnitude >= defined_value(f, high)) {
    low = high;
  } else {
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (defined_value(f, middle) <= magnitude ? low : high) = middle;
    }
    // Differences of a double and its neighbours in a narrower format are exact.
    const double below = magnitude - defined_value(f, low);
    const double above = defined_value(f, high) - magnitude;
    if (above < below || (above == below && low % 2 == 1)) low = high;
  }
  if (low > f.largest_code()) low = f.saturates ? f.largest_code() : f.infinity_code();
  return low | (std::signbit(value) ? f.sign_code() : 0u);
}

TYPED_TEST(NumberFormat, DecodesEveryCodeAsDefined) {
  constexpr Format f = TypeParam::format;
  for (std::uint32_t code = 0; code < 1u << f.bits(); ++code) {
    const std::uint32_t magnitude = code & (f.sign_code() - 1);
    const double value = decode<f>(code);
    EXPECT_EQ(std::signbit(value), code != magnitude) << code;
    if (magnitude <= f.largest_code()) {
      ASSERT_EQ(std::abs(value), defined_value(f, magnitude)) << code;
    } else if (f.has_infinity && magnitude == f.infinity_code()) {
      ASSERT_TRUE(std::isinf(value)) << code;
    } else {
      ASSERT_TRUE(std::isnan(value)) << code;
    }
  }
}

TYPED_TEST(NumberFormat, EveryFiniteCodeSurvivesTheRoundTrip) {
  constexpr Format f = TypeParam::format;
  for (std::uint32_t code = 0; code < 1u << f.bits(); ++code) {
    const double value = decode<f>(code);
    const std::uint32_t back = encode<f>(value);
    if (std::isfinite(value)) {
      ASSERT_EQ(back, code);
    } else if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(decode<f>(back))) << code;
    } else {
      const std::uint32_t want = f.saturates ? f.largest_code() : f.infinity_code();
      ASSERT_EQ(back, want | (code & f.sign_code()));
    }
  }
}

// Between every pair of neighbours: the tie goes to the even code, the doubles on both sides of the
// tie to the nearer one. A path through float would lose those two sides.
TYPED_TEST(NumberFormat, RoundsTiesToEvenAndOnlyOnce) {
  constexpr Format f = TypeParam::format;
  for (std::uint32_t code = 0; code < f.largest_code(); ++code) {
    const double tie = (decode<f>(code) + decode<f>(code + 1)) / 2;
    ASSERT_EQ(encode<f>(tie), code + code % 2) << code;
    ASSERT_EQ(encode<f>(std::nextafter(tie, 0.0)), code);
    ASSERT_EQ(encode<f>(std::nextafter(tie, infinity)), code + 1);
    ASSERT_EQ(encode<f>(-tie), f.sign_code() | (code + code % 2));
  }
}

TYPED_TEST(NumberFormat, AgreesWithTheNearestCodeFoundBySearch) {
  constexpr Format f = TypeParam::format;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> significand(1.0, 2.0);
  std::uniform_int_distribution<int> exponent(f.min_exponent() - f.fraction_bits - 3,
                                              f.max_exponent() + 2);
  for (int i = 0; i < 200000; ++i) {
    const double value = std::ldexp(significand(random), exponent(random)) * (i % 2 == 0 ? 1 : -1);
    ASSERT_EQ(encode<f>(value), nearest_code(f, value)) << value;
  }
}

TYPED_TEST(NumberFormat, TreatsTheEndsOfItsRange) {
  constexpr Format f = TypeParam::format;
  const double smallest = decode<f>(1);
  EXPECT_EQ(encode<f>(smallest / 2), 0u);
  EXPECT_EQ(encode<f>(std::nextafter(smallest / 2, 1.0)), 1u);
  EXPECT_EQ(encode<f>(std::numeric_limits<double>::denorm_min()), 0u);
  EXPECT_EQ(encode<f>(-0.0), f.sign_code());

  const std::uint32_t beyond = f.saturates ? f.largest_code() : f.infinity_code();
  const double half_step = base::ulp(f, base::largest<f>) / 2;
  EXPECT_EQ(encode<f>(std::nextafter(base::largest<f> + half_step, 0.0)), f.largest_code());
  EXPECT_EQ(encode<f>(base::largest<f> + half_step), beyond);
  EXPECT_EQ(encode<f>(std::numeric_limits<double>::max()), beyond);
  EXPECT_EQ(encode<f>(infinity), beyond);
  EXPECT_EQ(encode<f>(-infinity), beyond | f.sign_code());
  EXPECT_TRUE(std::isnan(decode<f>(encode<f>(nan))));
  EXPECT_TRUE(std::isnan(decode<f>(encode<f>(-nan))));
}

TYPED_TEST(NumberFormat, UlpIsTheDistanceToTheNextCode) {
  constexpr Format f = TypeParam::format;
  for (std::uint32_t code = 0; code < f.largest_code(); ++code) {
    const double value = decode<f>(code);
    ASSERT_EQ(base::ulp(f, value), decode<f>(code + 1) - value) << code;
    ASSERT_EQ(base::ulp(f, -value), base::ulp(f, value));
  }
  EXPECT_EQ(base::ulp(f, infinity), base::ulp(f, base::largest<f>));
}

TEST(Number, PublishedCodes) {
  EXPECT_EQ(encode<base::e4m3>(448.0), 0x7Eu);
  EXPECT_EQ(encode<base::e4m3>(1000.0), 0x7Eu);
  EXPECT_EQ(encode<base::e4m3>(nan), 0x7Fu);
  EXPECT_TRUE(std::isnan(decode<base::e4m3>(0xFF)));
  EXPECT_EQ(decode<base::e4m3>(0x01), 0x1p-9);
  EXPECT_EQ(decode<base::e4m3>(0x08), 0x1p-6);
  EXPECT_EQ(encode<base::e5m2>(1e9), 0x7Bu);
  EXPECT_EQ(decode<base::e5m2>(0x7B), 57344.0);
  EXPECT_EQ(decode<base::e5m2>(0x7C), infinity);
  EXPECT_EQ(decode<base::e5m2>(0x01), 0x1p-16);
  EXPECT_EQ(encode<base::f16>(1.0), 0x3C00u);
  EXPECT_EQ(encode<base::f16>(65519.0), 0x7BFFu);
  EXPECT_EQ(encode<base::f16>(65520.0), 0x7C00u);
  EXPECT_EQ(decode<base::f16>(0x0001), 0x1p-24);
  EXPECT_EQ(encode<base::bf16>(1.0), 0x3F80u);
  EXPECT_EQ(encode<base::bf16>(-2.0), 0xC000u);
  EXPECT_EQ(base::rounded_to<base::tf32>(1.0 + 0x1p-11), 1.0);
  EXPECT_EQ(base::rounded_to<base::tf32>(1.0 + 0x3p-11), 1.0 + 0x1p-9);
}

// A float in between would first round to the tie and then to even, one step too low.
TEST(Number, DoubleRoundingHazard) {
  const double value = 1.0 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(encode<base::bf16>(static_cast<float>(value)), 0x3F80u);
  EXPECT_EQ(encode<base::bf16>(value), 0x3F81u);
  const double half = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(encode<base::f16>(static_cast<float>(half)), 0x3C00u);
  EXPECT_EQ(encode<base::f16>(half), 0x3C01u);
}

// The processor's own conversion judges the generic encoder where it has the same format.
TEST(Number, SingleAgreesWithTheProcessor) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 1000000; ++i) {
    // Every fourth value has an exponent around the subnormals of f32.
    std::uint64_t bits = random();
    if (i % 4 == 0) bits = (bits & ~(0x7FFull << 52)) | (860 + bits % 40) << 52;
    if (i % 4 == 1) bits = (bits & ~(0x7FFull << 52)) | (1010 + bits % 160) << 52;
    const auto value = std::bit_cast<double>(bits);
    const auto want = static_cast<float>(value);
    if (std::isnan(want)) continue;
    ASSERT_EQ(encode<base::f32>(value), std::bit_cast<std::uint32_t>(want)) << value;
    ASSERT_EQ(decode<base::f32>(std::bit_cast<std::uint32_t>(want)), want);
  }
}

// All of it works at compile time.
static_assert(encode<base::bf16>(3.0) == 0x4040);
static_assert(decode<base::f16>(0x3555) < 0.3334);
static_assert(base::ulp(base::f32, 1.0) == 0x1p-23);
static_assert(base::ulp(base::f64, 1.0) == 0x1p-52);
static_assert(base::ulp(base::f64, 0.0) == 0x1p-1074);
static_assert(base::power_of_two(1024) == infinity && base::power_of_two(-1075) == 0.0);

}  // namespace
