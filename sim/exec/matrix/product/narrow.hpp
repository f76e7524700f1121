// Sums of products of ordinary numbers, which nearly all are: several times as fast as those of
// general.hpp, and the same to the last bit.
//
// Products are multiplied in float. `largest` is the largest exponent of a group, relative to the
// products' own scale, and a term is trunc(a * b * 2^(bits - largest)).
//   - a * b has at most 22 significant bits, so it is exact unless it is below 2^-126; it does not
//     overflow because the exponents' sum is at most `largest_product`.
//   - Where `largest` is at least `least_sum`, the power of two is a float. It times a product is
//     exact unless it is below 2^-126, where it is truncated to zero anyway. A product below 2^-126
//     is less than 1 after it is scaled, rounded or not, and is truncated to zero as it must be.
//   - The accumulator's term is trunc(c * 2^(bits - largest)), for the same reasons.
//   - Sixteen terms are below 2^31: each is less than (2 - 2^-10)^2 * 2^25. More terms, and the
//     accumulator, are added with a check for overflow.
// Whatever does not fit these conditions is rejected, and general.hpp computes it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sim/exec/matrix/product/operands.hpp"

namespace aisp::sim {

inline constexpr int largest_product = 115, least_sum = -98, largest_sum = 120;
inline constexpr int chunk_terms = 16;       // whose sum fits 32 bits
inline constexpr int least_nonzero = -1024;  // below the exponents of all sums but zero

// B is in panels of two vectors of columns, a panel's rows one after the other. A word of exponents
// has that of a column of the first vector in its low half and that of the same column of the
// second vector in its high half; A's elements have theirs in both halves.
inline constexpr int panel_columns = 2 * vector_columns;
inline Ints in_pairs(Ints low, Ints high) { return (low & 0xffff) | high << 16; }

// A group of terms. `index`: the row of B that each element of A meets; null: its own.
struct Group {
  const float* a;
  const std::int32_t* a_exponents;
  const float* b;
  const std::int32_t* b_exponents;
  const std::uint8_t* index;
  int terms, bits;
  int row(int i) const { return index != nullptr ? index[i] : i; }
};

// Powers of two that the products of a vector of columns, and their accumulators, are scaled by.
struct ColumnScales {
  Ints product{};
  int accumulator = 0;
};

// Accumulators as floats, and their exponents; that of a zero is below every other.
struct Accumulators {
  Floats value;
  Ints exponent;
};
template <bool is_f16>
[[gnu::always_inline]] inline Accumulators load_accumulators(const std::uint32_t* c) {
  Ints code = base::load<Ints>(c);
  if (is_f16) code = std::bit_cast<Ints>(base::floats_of_f16(code));
  const Ints magnitude = code & 0x7fffffff;
  Ints exponent = (magnitude >> 23) - 127;
  if (is_f16) exponent = base::larger(exponent, Ints{} + base::f16.min_exponent());
  return {std::bit_cast<Floats>(code), exponent + ((magnitude == 0) & 2 * zero_exponent)};
}

// A sum whose last bit is worth 2^exponent, as an f32 code: truncated to the fraction bits that
// `kept` masks, or rounded to odd so that the later rounding to f16 is exact. The sum's magnitude
// is below 2^31, and the result is zero or a normal number.
template <bool to_f16>
[[gnu::always_inline]] inline Ints to_float(Ints sum, Ints magnitude, Ints exponent, int kept) {
  // Takes the highest bit below f32's 24, and perhaps lower ones, off magnitudes that have more
  // than 24. What is left below them is less than half, and the conversion rounds it down.
  const auto words = std::bit_cast<Words>(magnitude);
  const auto cut = std::bit_cast<Ints>(words & ~(words >> 24));
  const Floats value = __builtin_convertvector(cut, Floats);
  Ints code = std::bit_cast<Ints>(value);
  if (to_f16)
    code |= (__builtin_convertvector(value, Ints) != magnitude) & 1;
  else
    code &= kept;
  code = (code + (exponent << 23)) & (magnitude != 0);
  return code | (sum & static_cast<std::int32_t>(0x80000000u));
}

// f32 codes, rounded to odd, as f16 codes; there is no negative zero.
template <class Integers>
[[gnu::always_inline]] inline Integers to_half(Integers code) {
  code = base::f16_of_floats(std::bit_cast<typename base::FloatVector<Integers>::type>(code));
  return code & (code != 0x8000);
}

// One group for one or two vectors of columns. Not zero: the vectors, a bit each, that general.hpp
// must compute; their accumulators are as before.
template <int vectors, bool to_f16, bool scaled, bool sparse>
[[gnu::always_inline]] inline int narrow_sum(const Group& group, const ColumnScales* scales,
                                             std::uint32_t* c) {
  const int terms = group.terms, bits = group.bits;
  const auto row = [&](int i) __attribute__((always_inline)) {
    return sparse ? group.index[i] : i;
  };
  Shorts pairs = Shorts{} + static_cast<std::int16_t>(2 * zero_exponent);
#pragma GCC unroll 4
  for (int i = 0; i < terms; ++i) {
    const auto a = std::bit_cast<Shorts>(Ints{} + group.a_exponents[i]);
    pairs =
        base::larger(pairs, base::load<Shorts>(group.b_exponents + row(i) * vector_columns) + a);
  }
  Ints sums[vectors], largest[vectors], rejected[vectors];
  Floats scale[vectors];
#pragma GCC unroll 2
  for (int at = 0; at < vectors; ++at) {
    Accumulators from = load_accumulators<to_f16>(c + at * vector_columns);
    const auto words = std::bit_cast<Ints>(pairs);
    const Ints is_special = 127 - from.exponent;  // negative for NaN and infinity
    if (scaled) from.exponent += scales[at].accumulator - scales[at].product;
    const Ints most = base::larger(at == 0 ? words << 16 >> 16 : words >> 16, from.exponent);
    largest[at] = scaled ? most + scales[at].product : most;
    // Where all is zero the power of two may be too large for float: any will do. Where products
    // are scaled far below the accumulator it may be too small: they leave nothing.
    Ints field = base::smaller(bits + 127 - most, Ints{} + 254);
    if (scaled) field = base::larger(field, Ints{});
    scale[at] = std::bit_cast<Floats>(field << 23);
    // Negative: rejected, being small and not zero, or large.
    Ints outside = most - least_sum;
    if (scaled) outside |= (largest[at] - least_sum) | (largest_sum - largest[at]);
    rejected[at] = outside & (least_nonzero - most);
    rejected[at] |= scaled ? is_special : largest_sum - most;
    Floats own = scale[at];
    if (scaled) {
      const Ints power = bits + 127 + scales[at].accumulator - largest[at];
      own = std::bit_cast<Floats>(base::larger(base::smaller(power, Ints{} + 254), Ints{}) << 23);
    }
    sums[at] = __builtin_convertvector(from.value * own, Ints);
  }
  for (int first = 0; first < terms; first += chunk_terms) {
    const int end = std::min(first + chunk_terms, terms);
    Ints chunk[vectors] = {};
#pragma GCC unroll 4
    for (int i = first; i < end; ++i) {
      const float* b = group.b + row(i) * panel_columns;
#pragma GCC unroll 2
      for (int at = 0; at < vectors; ++at) {
        const Floats product = base::load<Floats>(b + at * vector_columns) * group.a[i];
        chunk[at] += __builtin_convertvector(product * scale[at], Ints);
      }
    }
#pragma GCC unroll 2
    for (int at = 0; at < vectors; ++at) {
      const auto sum =
          std::bit_cast<Ints>(std::bit_cast<Words>(sums[at]) + std::bit_cast<Words>(chunk[at]));
      rejected[at] |= (sum ^ sums[at]) & (sum ^ chunk[at]);
      sums[at] = sum;
    }
  }
  const int kept = bits < 23 ? ~0 << (23 - bits) : ~0;
  Ints codes[vectors], any_rejected{};
#pragma GCC unroll 2
  for (int at = 0; at < vectors; ++at) {
    const Ints magnitude = sums[at] < 0 ? -sums[at] : sums[at];
    rejected[at] |= magnitude;  // 2^31
    codes[at] = to_float<to_f16>(sums[at], magnitude, largest[at] - bits, kept);
    if (to_f16) codes[at] = to_half(codes[at]);
    any_rejected |= rejected[at];
  }
  int left = 0;
  if (any_negative(any_rejected)) [[unlikely]] {
    for (int at = 0; at < vectors; ++at) {
      // Accumulators that are NaN or infinity stay so; for the rest another way is needed.
      constexpr int infinity = to_f16 ? 0x7c00 : 0x7f800000, nan = to_f16 ? 0x7fff : 0x7fffffff;
      const Ints code = base::load<Ints>(c + at * vector_columns), magnitude = code & nan;
      if (any_negative(rejected[at] & (magnitude < infinity))) left |= 1 << at;
      codes[at] = magnitude > infinity ? Ints{} + nan : magnitude == infinity ? code : codes[at];
    }
  }
#pragma GCC unroll 2
  for (int at = 0; at < vectors; ++at)
    if ((left >> at & 1) == 0) base::store(c + at * vector_columns, codes[at]);
  return left;
}

}  // namespace aisp::sim
