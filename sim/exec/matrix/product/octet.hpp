// Eight columns of a matrix product at once: accumulators taken apart, and sums converted to the
// result's format, for the aligned sums of floats.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/host/vector.hpp"
#include "base/number/format.hpp"

namespace aisp::sim {

using base::Doubles4;
using base::Floats;
using base::Floats4;
using base::Ints;
using base::Ints4;
using base::Longs4;
using base::Words;

inline constexpr int columns_at_once = base::vector_lanes;
inline constexpr int least_exponent =
    -512;  // of a sum without terms; no power of two is out of range

// Four sums of two halves each: f32 codes, truncated to f32's or to 13 fraction bits, or rounded to
// odd so that a second rounding to f16 is exact. `rare`: not zero in lanes below f32's normal
// numbers.
struct Quad {
  Floats4 value;
  Longs4 rare;
};
template <bool to_f16>
[[gnu::always_inline]] inline Quad convert(Ints4 low, Ints4 high, Ints4 exponent, int dropped) {
  const Doubles4 sum = base::to_doubles(low) + base::to_doubles(high);
  const Longs4 field = (base::to_longs(exponent) + 1023) << 52;
  const Doubles4 value = sum * std::bit_cast<Doubles4>(field);
  const auto keep = static_cast<std::int64_t>(~std::uint64_t{0} << dropped);
  Longs4 bits = std::bit_cast<Longs4>(value);
  const Longs4 rest = bits & ~keep;
  bits &= keep;
  if (to_f16) bits |= (rest != 0) & (std::int64_t{1} << dropped);
  const Longs4 magnitude = std::bit_cast<Longs4>(value) & ~(std::int64_t{1} << 63);
  constexpr auto smallest = std::bit_cast<std::int64_t>(base::power_of_two(-126));
  return {__builtin_convertvector(std::bit_cast<Doubles4>(bits), Floats4),
          (magnitude < smallest) & (magnitude > 0)};
}

// The accumulators of eight columns: signed significands with `bits` fraction bits, and exponents.
// `special`: not zero for NaN and infinity.
struct Octet {
  Ints significand, exponent, special;
};
template <bool is_f16>
[[gnu::always_inline]] inline Octet load_accumulators(const std::uint32_t* c, int bits) {
  Ints code = base::load<Ints>(c);
  if (is_f16) code = std::bit_cast<Ints>(base::floats_of_f16(code));
  const Ints field = code >> 23 & 255;
  const Ints fraction = code & 0x7fffff;
  Ints significand = fraction | ((field != 0) & 0x800000);
  Ints exponent = base::larger(field, Ints{} + 1) - 127;
  if (is_f16) {  // subnormal halves are not normalised
    const Ints raised = base::larger(exponent, Ints{} + base::f16.min_exponent());
    // A zero, whose exponent is far lower, stays one.
    significand >>= base::smaller(raised - exponent, Ints{} + 31);
    exponent = raised;
  }
  exponent = significand == 0 ? Ints{} + least_exponent : exponent;
  significand = bits >= 23 ? significand << (bits - 23) : significand >> (23 - bits);
  const Ints sign = code >> 31;
  significand = (significand ^ sign) - sign;
  return {significand, exponent, field == 255};
}

// Powers of two that the products, and the accumulators, of eight columns are multiplied by.
struct ColumnScales {
  Ints product{};
  int accumulator = 0;
};

// |value| >> shift with the value's sign; a shift of 32 and more leaves nothing.
[[gnu::always_inline]] inline Ints align_down(Ints value, Ints shift) {
  const Ints magnitude = value < 0 ? -value : value;
  const Ints down = std::bit_cast<Ints>(std::bit_cast<Words>(magnitude) >>
                                        std::bit_cast<Words>(base::smaller(shift, Ints{} + 31)));
  return value < 0 ? -down : down;
}

// Two sums: sixteen products of 27 bits and their sign may need 32 bits and one more.
struct Sums {
  Ints even, odd;
};

// Adds term(i) for i below `terms` to the two in turn.
template <class Term>
[[gnu::always_inline]] inline void add_terms(Sums& sums, int terms, Term term) {
#pragma GCC unroll 4
  for (int i = 0; i + 1 < terms; i += 2) {
    sums.even += term(i);
    sums.odd += term(i + 1);
  }
  if (terms % 2 != 0) sums.even += term(terms - 1);
}

// The sums of a group, in two parts each with `bits` fraction bits below `largest`, as codes. False
// when one of them is below f32's normal numbers or where the accumulator is `special`: nothing is
// stored then.
template <bool to_f16>
[[gnu::always_inline]] inline bool store_sums(const Sums& sums, Ints largest, Ints special,
                                              int bits, std::uint32_t* c) {
  const Ints exponent = largest - bits;
  const int dropped = 52 - (to_f16 ? 23 : std::min(bits, 23));
  const Quad low = convert<to_f16>(base::low_half(sums.even), base::low_half(sums.odd),
                                   base::low_half(exponent), dropped);
  const Quad high = convert<to_f16>(base::high_half(sums.even), base::high_half(sums.odd),
                                    base::high_half(exponent), dropped);
  if (base::any(low.rare | high.rare | std::bit_cast<Longs4>(special))) [[unlikely]]
    return false;
  Ints code = std::bit_cast<Ints>(base::joined(low.value, high.value));
  if (to_f16) {
    code = base::f16_of_floats(std::bit_cast<Floats>(code));
    code = code == 0x8000 ? Ints{} : code;
  }
  base::store(c, code);
  return true;
}

}  // namespace aisp::sim
