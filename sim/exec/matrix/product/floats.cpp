#include "sim/exec/matrix/product/product.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "sim/exec/matrix/product/narrow.hpp"
#include "sim/exec/matrix/product/octet.hpp"
#include "sim/exec/matrix/product/operands.hpp"

namespace aisp::sim {
namespace {

struct FloatWork {
  alignas(32) std::uint32_t a[max_matrix_a];
  alignas(32) std::uint32_t b[max_matrix_b];
  bool a_special[max_matrix_rows], b_special[256 / columns_at_once];
  // The same operands for sums of narrow numbers.
  alignas(32) float a_values[max_matrix_a], b_values[max_matrix_b];
  alignas(32) std::int32_t a_exponents[max_matrix_a], b_exponents[max_matrix_b];
};
// Not inlined: in a shared library each use of such a variable's address may become a call.
[[gnu::noinline]] FloatWork& thread_work() {
  thread_local FloatWork work;
  return work;
}

double scaled(double value, int exponent) { return value * base::power_of_two(exponent); }

// The result of a sum of which `value` is exact in double.
std::uint32_t finish(double value, Type result, int bits) {
  if (std::isnan(value)) return result == Type::f16 ? 0x7fffu : 0x7fffffffu;
  if (result == Type::f16) {
    const std::uint32_t code = base::encode<base::f16>(value);
    return code == base::f16.sign_code() ? 0 : code;
  }
  const std::uint32_t sign = value < 0 ? 0x80000000u : 0u;
  const double magnitude = std::abs(value);
  if (magnitude >= base::power_of_two(128)) return sign | base::f32.infinity_code();
  const int fraction_bits = std::min(bits, 23);
  const double unit = base::ulp(base::f32, magnitude) * base::power_of_two(23 - fraction_bits);
  const double truncated = std::trunc(magnitude / unit) * unit;
  return truncated == 0 ? 0 : sign | std::bit_cast<std::uint32_t>(static_cast<float>(truncated));
}

struct Accumulator {  // significand with 23 fraction bits, signed
  std::int32_t significand = 0;
  int exponent = least_exponent;
  double special = 0;  // NaN or infinity
};

Accumulator take_apart_accumulator(std::uint32_t code, Type type) {
  const double value =
      type == Type::f16 ? base::decode<base::f16>(code) : base::decode<base::f32>(code);
  if (!std::isfinite(value)) return {0, least_exponent, value};
  const int lowest = type == Type::f16 ? base::f16.min_exponent() : base::f32.min_exponent();
  if (value == 0) return {};
  const int exponent = std::max(std::ilogb(value), lowest);
  return {static_cast<std::int32_t>(scaled(value, 23 - exponent)), exponent, 0};
}

// One group of one element, one term at a time: for special values.
std::uint32_t slow_sum(const std::uint32_t* a, const std::uint32_t* b, int stride,
                       const std::uint8_t* index, int first, int terms, std::uint32_t c,
                       Type result, int bits, int scale, int c_scale) {
  Accumulator accumulator = take_apart_accumulator(c, result);
  accumulator.exponent += c_scale;
  int largest = accumulator.exponent;
  double special = accumulator.special;
  const auto b_of = [&](int i) { return b[(index != nullptr ? index[i] : first + i) * stride]; };
  for (int i = 0; i < terms; ++i) {
    const std::uint32_t x = a[i], y = b_of(i);
    const bool x_special = exponent_of(x) == special_exponent;
    const bool y_special = exponent_of(y) == special_exponent;
    if (x_special || y_special) {
      const int sign = significand_of(x) * significand_of(y);  // 0: a NaN, or inf * 0
      special += sign == 0 ? std::numeric_limits<double>::quiet_NaN()
                           : std::copysign(std::numeric_limits<double>::infinity(), sign);
    } else {
      largest = std::max(largest, exponent_of(x) + exponent_of(y) + scale);
    }
  }
  if (special != 0) return finish(special, result, bits);
  std::int64_t sum = static_cast<std::int64_t>(
      scaled(accumulator.significand, bits - 23 + accumulator.exponent - largest));
  for (int i = 0; i < terms; ++i) {
    const std::uint32_t x = a[i], y = b_of(i);
    const int down = std::min(largest - exponent_of(x) - exponent_of(y) - scale, 63);
    const std::int64_t product = std::int64_t{significand_of(x)} * significand_of(y);
    sum += product < 0 ? -(-product >> down) : product >> down;
  }
  return finish(scaled(static_cast<double>(sum), largest - bits), result, bits);
}

// One group for eight columns, no special values. False: it is left to slow_sum.
template <bool to_f16, bool scaled>
[[gnu::noinline]] bool fast_sum(const std::uint32_t* a, const std::uint32_t* b, int stride,
                                const std::uint8_t* index, int first, int terms, int bits,
                                const ColumnScales& scales, std::uint32_t* c) {
  Octet accumulator = load_accumulators<to_f16>(c, bits);
  if (scaled) accumulator.exponent += scales.accumulator;
  const auto b_of = [&](int i) {
    return base::load<Ints>(b + (index != nullptr ? index[i] : first + i) * stride);
  };
  // Of the products, without their scale.
  Ints largest = scaled ? accumulator.exponent - scales.product : accumulator.exponent;
  for (int i = 0; i < terms; ++i)
    largest = base::larger(largest, (b_of(i) >> 16) + exponent_of(a[i]));
  const Ints all = scaled ? largest + scales.product : largest;
  Sums sums{align_down(accumulator.significand, all - accumulator.exponent), Ints{}};
  add_terms(
      sums, terms, [&](int i) __attribute__((always_inline)) {
        const Ints y = b_of(i);
        const Ints product = (y << 16 >> 16) * significand_of(a[i]);
        return align_down(product, largest - exponent_of(a[i]) - (y >> 16));
      });
  largest = all;
  return store_sums<to_f16>(sums, largest, accumulator.special, bits, c);
}

int fraction_bits_of(Type type) {
  switch (type) {
    case Type::bf16:
      return base::bf16.fraction_bits;
    case Type::e4m3:
      return base::e4m3.fraction_bits;
    case Type::e5m2:
      return base::e5m2.fraction_bits;
    case Type::e3m2:
      return e3m2_numbers.fraction_bits;
    case Type::e2m3:
      return e2m3_numbers.fraction_bits;
    case Type::e2m1:
      return e2m1_numbers.fraction_bits;
    default:
      return base::f16.fraction_bits;  // f16 and tf32
  }
}

void take_apart_as(Type type, const std::uint32_t* codes, int count, int shift,
                   std::uint32_t* operands) {
  switch (type) {
    case Type::bf16:
      return take_apart_all<base::bf16>(codes, count, 0, shift, operands);
    case Type::tf32:
      return take_apart_all<base::tf32>(codes, count, 13, shift, operands);
    case Type::e4m3:
      return take_apart_all<base::e4m3>(codes, count, 0, shift, operands);
    case Type::e5m2:
      return take_apart_all<base::e5m2>(codes, count, 0, shift, operands);
    case Type::e3m2:
      return take_apart_all<e3m2_numbers>(codes, count, 0, shift, operands);
    case Type::e2m3:
      return take_apart_all<e2m3_numbers>(codes, count, 0, shift, operands);
    case Type::e2m1:
      return take_apart_all<e2m1_numbers>(codes, count, 0, shift, operands);
    default:
      return take_apart_all<base::f16>(codes, count, 0, shift, operands);
  }
}

bool any_special(const std::uint32_t* operands, int rows, int columns, int stride) {
  bool found = false;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      found |= exponent_of(operands[row * stride + column]) == special_exponent;
  return found;
}

void take_apart(const MatrixProduct& p, Type a_type, Type b_type, FloatRule rule, FloatWork& work) {
  // Products get their `bits` fraction bits from significands scaled up to at most 15 bits.
  const int scale = rule.bits - fraction_bits_of(a_type) - fraction_bits_of(b_type);
  const int b_scale = std::min(scale, 14 - fraction_bits_of(b_type));
  take_apart_as(a_type, p.a, p.m * p.products, scale - b_scale, work.a);
  take_apart_as(b_type, p.b, p.k * p.n, b_scale, work.b);
  for (int row = 0; row < p.m; ++row)
    work.a_special[row] = any_special(work.a + row * p.products, 1, p.products, 0);
  for (int column = 0; column < p.n; column += columns_at_once)
    work.b_special[column / columns_at_once] =
        any_special(work.b + column, p.k, columns_at_once, p.n);
}

bool take_narrow(const MatrixProduct& p, Type a_type, Type b_type, FloatWork& work) {
  return decode_as(a_type, p.a, p.m * p.products, work.a_values, work.a_exponents) &&
         decode_as(b_type, p.b, p.k * p.n, work.b_values, work.b_exponents);
}

template <bool to_f16, bool scaled>
void multiply_to(const MatrixProduct& p, Type a_type, Type b_type, FloatRule rule) {
  FloatWork& work = thread_work();
  const bool narrow = p.index == nullptr && take_narrow(p, a_type, b_type, work);
  if (!narrow) take_apart(p, a_type, b_type, rule, work);
  bool taken_apart = !narrow;
  for (int column = 0; column < p.n; column += columns_at_once) {
    ColumnScales scales{.product = {}, .accumulator = p.c_scale};
    for (int row = 0; row < p.m; ++row) {
      std::uint32_t* c = p.c + row * p.n + column;
      if (scaled && p.row_scales != nullptr)
        scales.product = base::load<Ints>(p.column_scales + column) + p.row_scales[row];
      for (int first = 0; first < p.products; first += rule.terms) {
        const int terms = std::min(rule.terms, p.products - first);
        const int a_at = row * p.products + first, b_at = first * p.n + column;
        const NarrowGroup group{work.a_values + a_at, work.a_exponents + a_at, work.b_values + b_at,
                                work.b_exponents + b_at};
        if (narrow && narrow_sum<to_f16, scaled>(group, p.n, terms, rule.bits, scales, c)) continue;
        if (!std::exchange(taken_apart, true)) take_apart(p, a_type, b_type, rule, work);
        const bool special = work.a_special[row] || work.b_special[column / columns_at_once];
        const std::uint32_t* a = work.a + a_at;
        const std::uint8_t* index = p.index != nullptr ? p.index + a_at : nullptr;
        const std::uint32_t* b = work.b + column;
        if (!special &&
            fast_sum<to_f16, scaled>(a, b, p.n, index, first, terms, rule.bits, scales, c))
          continue;
        for (int i = 0; i < columns_at_once; ++i)
          c[i] = slow_sum(a, b + i, p.n, index, first, terms, c[i], to_f16 ? Type::f16 : Type::f32,
                          rule.bits, scales.product[i], scales.accumulator);
      }
    }
  }
}

template <bool to_f16>
void multiply_scaled(const MatrixProduct& p, Type a_type, Type b_type, FloatRule rule) {
  if (p.row_scales != nullptr || p.c_scale != 0)
    multiply_to<to_f16, true>(p, a_type, b_type, rule);
  else
    multiply_to<to_f16, false>(p, a_type, b_type, rule);
}

}  // namespace

void multiply_floats(const MatrixProduct& p, Type a_type, Type b_type, Type result,
                     FloatRule rule) {
  if (result == Type::f16)
    multiply_scaled<true>(p, a_type, b_type, rule);
  else
    multiply_scaled<false>(p, a_type, b_type, rule);
}

}  // namespace aisp::sim
