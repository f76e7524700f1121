// Sums of products of ordinary numbers, which nearly all are: several times as fast as the general
// way of floats.cpp, and the same to the last bit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "base/number/format.hpp"
#include "sim/exec/matrix/product/octet.hpp"
#include "sim/exec/matrix/product/operands.hpp"
#include "sim/program/type.hpp"

namespace aisp::sim {

// Narrow numbers are zero or have an exponent within these bounds. A product of two of them and its
// place in the group's sum, scaled by a power of two that is itself a normal float, are exact in
// float: 22 bits, exponents within +-126. Products too small for it are cut off anyway.
inline constexpr int largest_exponent = 50;

// Values, and exponents as take_apart has them. False when a number is not narrow.
template <auto format>
bool decode_all(const std::uint32_t* codes, int count, int low_bits, float* values,
                std::int32_t* exponents) {
  int widest = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t code = codes[i] >> low_bits;
    const int magnitude = static_cast<int>(code & (format.sign_code() - 1));
    const int field = magnitude >> format.fraction_bits;
    const int exponent = std::max(field, 1) - format.bias();
    const int fraction = magnitude & ((1 << format.fraction_bits) - 1);
    const int significand = fraction + (field != 0 ? 1 << format.fraction_bits : 0);
    const int signed_one = (code & format.sign_code()) != 0 ? -significand : significand;
    // Of a zero it may be out of range, but is finite.
    const auto place = static_cast<std::uint32_t>(exponent - format.fraction_bits + 127);
    values[i] = static_cast<float>(signed_one) * std::bit_cast<float>(place << 23);
    exponents[i] = magnitude == 0 ? zero_exponent : exponent;
    const int width = magnitude == 0 ? 0 : std::abs(exponent);
    widest = std::max(
        widest, magnitude > static_cast<int>(format.largest_code()) ? special_exponent : width);
  }
  return widest <= largest_exponent;
}

inline bool decode_as(Type type, const std::uint32_t* codes, int count, float* values,
                      std::int32_t* exponents) {
  switch (type) {
    case Type::bf16:
      return decode_all<base::bf16>(codes, count, 0, values, exponents);
    case Type::tf32:
      return decode_all<base::tf32>(codes, count, 13, values, exponents);
    case Type::e4m3:
      return decode_all<base::e4m3>(codes, count, 0, values, exponents);
    case Type::e5m2:
      return decode_all<base::e5m2>(codes, count, 0, values, exponents);
    case Type::e3m2:
      return decode_all<e3m2_numbers>(codes, count, 0, values, exponents);
    case Type::e2m3:
      return decode_all<e2m3_numbers>(codes, count, 0, values, exponents);
    case Type::e2m1:
      return decode_all<e2m1_numbers>(codes, count, 0, values, exponents);
    default:
      return decode_all<base::f16>(codes, count, 0, values, exponents);
  }
}

// A group of terms: its elements of A, and its rows of B in eight columns.
struct NarrowGroup {
  const float* a;
  const std::int32_t* a_exponents;
  const float* b;
  const std::int32_t* b_exponents;
};

// One group for eight columns. False: an accumulator or a sum is not an ordinary number.
template <bool to_f16, bool scaled>
[[gnu::always_inline]] inline bool narrow_sum(const NarrowGroup& from, int stride, int terms,
                                              int bits, const ColumnScales& scales,
                                              std::uint32_t* c) {
  Octet accumulator = load_accumulators<to_f16>(c, bits);
  if (scaled) accumulator.exponent += scales.accumulator;
  Ints largest = scaled ? accumulator.exponent - scales.product : accumulator.exponent;
#pragma GCC unroll 4
  for (int i = 0; i < terms; ++i)
    largest = base::larger(largest,
                           base::load<Ints>(from.b_exponents + i * stride) + from.a_exponents[i]);
  // Where all products are zero this may be too large to have a power of two in float: any will do.
  // Where products are scaled far below the accumulator it may be too small: they leave nothing.
  Ints scale_exponent = base::smaller(bits + 127 - largest, Ints{} + 254);
  if (scaled) {
    scale_exponent = base::larger(scale_exponent, Ints{});
    largest += scales.product;
  }
  const auto scale = std::bit_cast<Floats>(scale_exponent << 23);
  Sums sums{align_down(accumulator.significand, largest - accumulator.exponent), Ints{}};
  add_terms(
      sums, terms, [&](int i) __attribute__((always_inline)) {
        const Floats product = base::load<Floats>(from.b + i * stride) * from.a[i];
        return __builtin_convertvector(product * scale, Ints);
      });
  return store_sums<to_f16>(sums, largest, accumulator.special, bits, c);
}

}  // namespace aisp::sim
