// The arithmetic of matrix instructions against a plain statement of the same rule, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "base/number/format.hpp"
#include "sim/exec/matrix/product/product.hpp"
#include "tests/support/sweep.hpp"

using namespace aisp;

namespace {

using sim::FloatRule;
using sim::MatrixProduct;
using sim::Type;

struct Number {
  double value = 0;
  int exponent = 0;  // of the leading place; subnormal numbers have that of the smallest normal one
};

template <base::Format format>
Number take(std::uint32_t code) {
  const double value = base::decode<format>(code);
  if (value == 0 || !std::isfinite(value)) return {value, -100000};
  return {value, std::max(std::ilogb(value), format.min_exponent())};
}

Number take(Type type, std::uint32_t code) {
  switch (type) {
    case Type::f16:
      return take<base::f16>(code);
    case Type::bf16:
      return take<base::bf16>(code);
    case Type::tf32:
      return take<base::tf32>(code >> 13);
    case Type::e4m3:
      return take<base::e4m3>(code);
    case Type::e5m2:
      return take<base::e5m2>(code);
    default:
      return take<base::f32>(code);
  }
}

std::uint32_t toward_zero(double value, int fraction_bits) {
  auto nearest = static_cast<float>(value);
  if (std::abs(value) >= std::ldexp(1.0, 128)) return std::bit_cast<std::uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(value))
    nearest = std::nextafter(nearest, 0.0f);
  auto code = std::bit_cast<std::uint32_t>(nearest);
  code &= ~0u << (23 - fraction_bits);
  return (code << 1) == 0 ? 0 : code;
}

std::uint32_t finish(double value, Type result, int bits) {
  if (std::isnan(value)) return result == Type::f16 ? 0x7fff : 0x7fffffff;
  if (result == Type::f32) return toward_zero(value, std::min(bits, 23));
  const std::uint32_t code = base::encode<base::f16>(value);
  return code == 0x8000 ? 0 : code;
}

std::uint32_t plain_group(const std::vector<Number>& a, const std::vector<Number>& b,
                          std::uint32_t c, Type result, int bits) {
  const Number start = take(result, c);
  double special = std::isfinite(start.value) ? 0 : start.value;
  int largest = start.exponent;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double product = a[i].value * b[i].value;
    if (!std::isfinite(product)) special += product;
    if (product != 0 && std::isfinite(product))
      largest = std::max(largest, a[i].exponent + b[i].exponent);
  }
  if (special != 0) return finish(special, result, bits);
  if (largest < -1000) return 0;  // nothing but zeros
  const auto aligned = [&](double value) {
    return static_cast<std::int64_t>(std::trunc(std::ldexp(value, bits - largest)));
  };
  std::int64_t sum = aligned(start.value);
  for (std::size_t i = 0; i < a.size(); ++i) sum += aligned(a[i].value * b[i].value);
  return finish(std::ldexp(static_cast<double>(sum), largest - bits), result, bits);
}

void plain_product(const MatrixProduct& p, Type a_type, Type b_type, Type result, FloatRule rule) {
  for (int row = 0; row < p.m; ++row) {
    for (int column = 0; column < p.n; ++column) {
      std::uint32_t& c = p.c[row * p.n + column];
      for (int first = 0; first < p.products; first += rule.terms) {
        std::vector<Number> a, b;
        for (int i = first; i < std::min(first + rule.terms, p.products); ++i) {
          const int at = row * p.products + i;
          a.push_back(take(a_type, p.a[at]));
          b.push_back(take(b_type, p.b[(p.index != nullptr ? p.index[at] : i) * p.n + column]));
        }
        c = plain_group(a, b, c, result, rule.bits);
      }
    }
  }
}

// `wide`: exponents to the bounds of what has a faster way; `too_wide`: a few beyond them.
enum class Kind { ordinary, any_bits, finite, tiny, zeros_and_ones, extreme, wide, too_wide };
constexpr Kind kinds[] = {Kind::ordinary,       Kind::any_bits, Kind::finite, Kind::tiny,
                          Kind::zeros_and_ones, Kind::extreme,  Kind::wide,   Kind::too_wide};

template <base::Format format>
std::uint32_t draw(Kind kind, std::mt19937_64& random) {
  const std::uint64_t bits = random(), choice = random();
  const int top = (1 << format.exponent_bits) - 1, bias = format.bias();
  auto fraction = static_cast<std::uint32_t>(bits & ((1u << format.fraction_bits) - 1));
  int field = 0;
  switch (kind) {
    case Kind::ordinary:
      field = bias - 3 + static_cast<int>(choice % 7);
      break;
    case Kind::any_bits:
      field = static_cast<int>(choice % (top + 1));
      break;
    case Kind::finite:
      field = choice % 4 == 0 ? 0 : static_cast<int>(choice / 4 % top);
      break;
    case Kind::tiny:
      field = static_cast<int>(choice % std::max(2, bias / 2));
      break;
    case Kind::zeros_and_ones:
      field = choice % 2 == 0 ? 0 : bias;
      fraction = 0;
      break;
    case Kind::extreme:
      field = choice % 3 == 0 ? 0 : choice % 3 == 1 ? top - 1 : 1;
      if (choice / 3 % 2 == 0) fraction = 0;
      break;
    case Kind::wide:
    case Kind::too_wide: {
      const int reach = std::min(bias - 1, kind == Kind::too_wide && bits % 64 == 0 ? 51 : 50);
      const int exponents[] = {-reach, reach, static_cast<int>(choice / 4 % (2 * reach)) - reach};
      field = choice % 4 == 3 ? 0 : bias + exponents[choice % 4];
      if (field == 0) fraction = 0;
      break;
    }
  }
  return static_cast<std::uint32_t>(bits >> 63) << (format.bits() - 1) |
         static_cast<std::uint32_t>(field) << format.fraction_bits | fraction;
}

std::uint32_t draw(Type type, Kind kind, std::mt19937_64& random) {
  switch (type) {
    case Type::f16:
      return draw<base::f16>(kind, random);
    case Type::bf16:
      return draw<base::bf16>(kind, random);
    case Type::e4m3:
      return draw<base::e4m3>(kind, random);
    case Type::e5m2:
      return draw<base::e5m2>(kind, random);
    default:
      return draw<base::f32>(kind, random);
  }
}

struct Case {
  Type a, b, result;
  int products;
  FloatRule rule;
};

class FloatProduct : public testing::TestWithParam<Case> {};

TEST_P(FloatProduct, IsThePlainRuleBitForBit) {
  const Case& c = GetParam();
  std::mt19937_64 random(7);
  constexpr int m = 16, n = 24;
  for (const Kind kind : kinds) {
    for (int trial = 0; trial < test_sweep::cases(8, 20); ++trial) {
      const bool sparse = trial % 4 == 3;
      const int k = sparse ? 2 * c.products : c.products;
      std::vector<std::uint32_t> a(m * c.products), b(k * n), sums(m * n);
      std::vector<std::uint8_t> index(m * c.products);
      for (auto& code : a) code = draw(c.a, kind, random);
      for (auto& code : b) code = draw(c.b, kind, random);
      const Kind kind_of_sums = trial % 4 == 0   ? kind
                                : trial % 4 == 2 ? Kind::any_bits
                                                 : Kind::finite;
      for (auto& code : sums) code = draw(c.result, kind_of_sums, random);
      for (int i = 0; i < m * c.products; ++i)
        index[i] = static_cast<std::uint8_t>(i % c.products * 2 + random() % 2);
      auto want = sums;
      MatrixProduct product{.m = m, .n = n, .products = c.products, .k = k};
      product.a = a.data();
      product.b = b.data();
      product.index = sparse ? index.data() : nullptr;
      product.c = want.data();
      plain_product(product, c.a, c.b, c.result, c.rule);
      product.c = sums.data();
      multiply_floats(product, c.a, c.b, c.result, c.rule);
      for (int i = 0; i < m * n; ++i)
        ASSERT_EQ(sums[i], want[i]) << "kind " << static_cast<int>(kind) << " element " << i;
    }
  }
}

constexpr FloatRule hopper{16, 25}, hopper_tf32{8, 25}, hopper_fp8{32, 13}, ampere{8, 24},
    ampere_tf32{4, 24};
INSTANTIATE_TEST_SUITE_P(Rules, FloatProduct,
                         testing::Values(Case{Type::f16, Type::f16, Type::f32, 16, hopper},
                                         Case{Type::f16, Type::f16, Type::f16, 16, hopper},
                                         Case{Type::bf16, Type::bf16, Type::f32, 16, hopper},
                                         Case{Type::bf16, Type::bf16, Type::f32, 8, hopper},
                                         Case{Type::tf32, Type::tf32, Type::f32, 8, hopper_tf32},
                                         Case{Type::e4m3, Type::e4m3, Type::f32, 32, hopper_fp8},
                                         Case{Type::e4m3, Type::e5m2, Type::f16, 32, hopper_fp8},
                                         Case{Type::e5m2, Type::e5m2, Type::f32, 32, hopper_fp8},
                                         Case{Type::f16, Type::f16, Type::f32, 16, ampere},
                                         Case{Type::bf16, Type::bf16, Type::f32, 16, ampere},
                                         Case{Type::f16, Type::f16, Type::f16, 16, ampere},
                                         Case{Type::tf32, Type::tf32, Type::f32, 8, ampere_tf32}),
                         [](const auto& info) {
                           return std::string(name_of(info.param.a)) + "_" +
                                  std::string(name_of(info.param.b)) + "_" +
                                  std::string(name_of(info.param.result)) + "_" +
                                  std::to_string(info.param.products) + "_" +
                                  std::to_string(info.param.rule.bits);
                         });

// One row, eight equal columns: the sum of one group.
std::uint32_t one_sum(Type type, Type result, std::vector<std::uint32_t> a,
                      const std::vector<std::uint32_t>& b, std::uint32_t c, FloatRule rule) {
  std::vector<std::uint32_t> columns, sums(8, c);
  for (const std::uint32_t code : b) columns.insert(columns.end(), 8, code);
  const int products = static_cast<int>(a.size());
  multiply_floats({.m = 1,
                   .n = 8,
                   .products = products,
                   .k = products,
                   .a = a.data(),
                   .b = columns.data(),
                   .c = sums.data()},
                  type, type, result, rule);
  for (const std::uint32_t sum : sums) EXPECT_EQ(sum, sums[0]);
  return sums[0];
}

constexpr std::uint32_t one = 0x3c00, minus_one = 0xbc00, half_zero = 0, minus_zero = 0x8000;

TEST(FloatProductEdges, ZerosAreNeverNegative) {
  EXPECT_EQ(one_sum(Type::f16, Type::f32, {one}, {minus_zero}, 0x80000000u, hopper), 0u);
  EXPECT_EQ(one_sum(Type::f16, Type::f16, {minus_zero}, {one}, 0x8000u, hopper), 0u);
  EXPECT_EQ(one_sum(Type::f16, Type::f32, {one, one}, {one, minus_one}, 0, hopper), 0u);
  // -2^-28 rounds to zero in f16, -2^-150 is below f32's smallest number.
  EXPECT_EQ(one_sum(Type::f16, Type::f16, {0x0400}, {0x8400}, 0, hopper), 0u);
  EXPECT_EQ(one_sum(Type::bf16, Type::f32, {0x1a00}, {0x9a00}, 0, hopper), 0u);
}

TEST(FloatProductEdges, SmallTermsAreCutAtTheLargestExponent) {
  // 2^24 + 1 + 1: each 1 survives 25 fraction bits, the sum is cut to f32 once.
  const std::uint32_t large = 0x4b800000;
  EXPECT_EQ(one_sum(Type::f16, Type::f32, {one, one}, {one, one}, large, hopper), large + 1);
  EXPECT_EQ(one_sum(Type::f16, Type::f32, {one, one}, {one, one}, large, {8, 24}), large + 1);
  // 2^26: below the last place of 25 bits each, and gone.
  EXPECT_EQ(one_sum(Type::f16, Type::f32, {one, one}, {one, one}, 0x4c800000, hopper), 0x4c800000u);
  // fp8: 13 fraction bits; 2^14 + 1 is 2^14.
  EXPECT_EQ(one_sum(Type::e4m3, Type::f32, {0x38}, {0x38}, 0x46800000, hopper_fp8), 0x46800000u);
}

TEST(FloatProductEdges, AZeroAccumulatorHasNoExponent) {
  // 2^-25 + 2^-48 is more than half of the smallest f16. A zero in C must not count as 2^-14 when
  // the terms are aligned: the second one would be cut, and the tie rounded to zero.
  EXPECT_EQ(one_sum(Type::f16, Type::f16, {0x0400, 0x0001}, {0x1000, 0x0001}, 0, hopper), 1u);
  EXPECT_EQ(one_sum(Type::f16, Type::f16, {0x0400}, {0x1000}, 0, hopper), 0u);
}

TEST(FloatProductEdges, SpecialValues) {
  const std::uint32_t infinity = 0x7c00, nan = 0x7e01;
  EXPECT_EQ(one_sum(Type::f16, Type::f32, {infinity}, {one}, 0, hopper), 0x7f800000u);
  EXPECT_EQ(one_sum(Type::f16, Type::f32, {infinity}, {minus_one}, 0, hopper), 0xff800000u);
  EXPECT_EQ(one_sum(Type::f16, Type::f32, {infinity}, {half_zero}, 0, hopper), 0x7fffffffu);
  EXPECT_EQ(one_sum(Type::f16, Type::f32, {infinity}, {one}, 0xff800000u, hopper), 0x7fffffffu);
  EXPECT_EQ(one_sum(Type::f16, Type::f16, {nan}, {one}, 0, hopper), 0x7fffu);
  EXPECT_EQ(one_sum(Type::f16, Type::f16, {0x7bff}, {0x4000}, 0, hopper), 0x7c00u);  // overflow
  EXPECT_EQ(one_sum(Type::bf16, Type::f32, {0x7f00}, {0x4000}, 0, hopper), 0x7f800000u);
}

TEST(IntegerProduct, WrapsOrSaturatesOnce) {
  const std::uint32_t a[] = {0x80, 0x7f}, b[] = {0x80, 0x80, 0x01, 0x02};  // 2 x 2, n = 2
  std::uint32_t c[] = {0x7fffffff, 0x80000000};
  MatrixProduct product{.m = 1, .n = 2, .products = 2, .k = 2, .a = a, .b = b, .c = c};
  multiply_integers(product, Type::s8, Type::s8, false);
  EXPECT_EQ(c[0], 0x7fffffffu + 16384 + 127);
  EXPECT_EQ(c[1], 0x80000000u + 16384 + 254);
  c[0] = 0x7fffffff;
  c[1] = 0x80000000;
  multiply_integers(product, Type::s8, Type::u8, true);
  EXPECT_EQ(c[0], 0x7fffffffu - 16384 + 127);
  EXPECT_EQ(c[1], 0x80000000u);  // -2^31 - 16384 + 254
}

TEST(IntegerProduct, FourBitElementsAndBits) {
  const std::uint32_t a[] = {0xf, 0x7}, b[] = {0xf, 0x8};  // s4: -1, 7; -1, -8
  std::uint32_t c[] = {0};
  const MatrixProduct product{.m = 1, .n = 1, .products = 2, .k = 2, .a = a, .b = b, .c = c};
  multiply_integers(product, Type::s4, Type::s4, false);
  EXPECT_EQ(static_cast<std::int32_t>(c[0]), 1 - 56);
  c[0] = 0;
  multiply_integers(product, Type::u4, Type::s4, false);
  EXPECT_EQ(static_cast<std::int32_t>(c[0]), -15 - 56);
  c[0] = 5;
  multiply_bits(product, true);
  EXPECT_EQ(c[0], 5u + 0 + 4);
  c[0] = 5;
  multiply_bits(product, false);
  EXPECT_EQ(c[0], 5u + 4 + 0);
}

TEST(DoubleProduct, IsAChainOfFusedMultiplyAdds) {
  const double tiny = std::ldexp(1.0, -60);
  const double a[] = {1 + 0x1p-30, tiny}, b[] = {1 - 0x1p-30, 1};
  double c[] = {-1};
  multiply_doubles(1, 1, 2, a, b, c, sim::Round::rn);
  EXPECT_EQ(c[0], 0.0);  // -2^-60 exactly, then + 2^-60
  const double x[] = {1}, y[] = {1};
  double sum[] = {tiny};
  multiply_doubles(1, 1, 1, x, y, sum, sim::Round::rp);
  EXPECT_EQ(sum[0], 1 + 0x1p-52);
}

}  // namespace
