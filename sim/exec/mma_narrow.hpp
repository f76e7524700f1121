// Sums of products of ordinary numbers, which nearly all are: several times as fast as the general
// way of mma_arithmetic.cpp, and the same to the last bit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "base/number/format.hpp"
#include "sim/exec/mma_octet.hpp"
#include "sim/exec/mma_operands.hpp"
#include "sim/program/type.hpp"

namespace sim {

// Narrow numbers are zero or have an exponent within these bounds. A product of two of them and its
// place in the group's sum, scaled by a power of two that is itself a normal float, are exact in
// float: 22 bits, exponents within +-126. Products too small for it are cut off anyway.
inline constexpr int largest_exponent = 50;

// Values, and exponents as take_apart has them. False when a number is not narrow.
template <base::Format format>
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
template <bool to_f16>
[[gnu::always_inline]] inline bool narrow_sum(const NarrowGroup& from, int stride, int terms,
                                              int bits, std::uint32_t* c) {
  const Octet accumulator = load_accumulators<to_f16>(c, bits);
  if (!_mm256_testz_si256(accumulator.special, accumulator.special)) return false;
  __m256i largest = accumulator.exponent;
#pragma GCC unroll 4
  for (int i = 0; i < terms; ++i) {
    const auto* row = reinterpret_cast<const __m256i*>(from.b_exponents + i * stride);
    largest = _mm256_max_epi32(
        largest, _mm256_add_epi32(_mm256_load_si256(row), _mm256_set1_epi32(from.a_exponents[i])));
  }
  // Where all products are zero this may be too large to have a power of two in float: any will do.
  const __m256i scale_exponent = _mm256_min_epi32(
      _mm256_sub_epi32(_mm256_set1_epi32(bits + 127), largest), _mm256_set1_epi32(254));
  const __m256 scale = _mm256_castsi256_ps(_mm256_slli_epi32(scale_exponent, 23));
  // Two sums: sixteen products of 27 bits and their sign may need 32 bits and one more.
  __m256i sums[2] = {
      align_down(accumulator.significand, _mm256_sub_epi32(largest, accumulator.exponent)),
      _mm256_setzero_si256()};
#pragma GCC unroll 4
  for (int i = 0; i < terms; ++i) {
    const __m256 product =
        _mm256_mul_ps(_mm256_load_ps(from.b + i * stride), _mm256_set1_ps(from.a[i]));
    sums[i % 2] = _mm256_add_epi32(sums[i % 2], _mm256_cvttps_epi32(_mm256_mul_ps(product, scale)));
  }
  return store_sums<to_f16>(sums, largest, bits, c);
}

}  // namespace sim
