// Floating-point formats narrower than f64 and their codes in every rounding direction. base's
// encoder rounds to nearest only; conversions need the others and formats without infinity.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sim/exec/arithmetic/floating/rounding.hpp"

namespace aisp::sim {

struct Format {
  // What the codes of the largest exponent mean: infinity and NaN; numbers, but for the last code,
  // which is NaN; or all numbers.
  enum class Top : std::uint8_t { ieee, last_is_nan, numbers };

  int exponent_bits = 0, fraction_bits = 0;
  Top top = Top::ieee;

  constexpr int bits() const { return 1 + exponent_bits + fraction_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint32_t sign() const { return 1u << (bits() - 1); }
  constexpr std::uint32_t infinity() const {  // ieee only
    return ((1u << exponent_bits) - 1) << fraction_bits;
  }
  constexpr std::uint32_t largest() const {
    if (top == Top::ieee) return infinity() - 1;
    return top == Top::last_is_nan ? sign() - 2 : sign() - 1;
  }
  // All ones; formats without NaN answer their largest number.
  constexpr std::uint32_t nan() const { return sign() - 1; }
};

inline constexpr Format f32_format{8, 23};
inline constexpr Format tf32_format{8, 10};
inline constexpr Format bf16_format{8, 7};
inline constexpr Format f16_format{5, 10};
inline constexpr Format e5m2_format{5, 2};
inline constexpr Format e4m3_format{4, 3, Format::Top::last_is_nan};
inline constexpr Format e3m2_format{3, 2, Format::Top::numbers};
inline constexpr Format e2m3_format{2, 3, Format::Top::numbers};
inline constexpr Format e2m1_format{2, 1, Format::Top::numbers};

// What is added below the last kept bit before cutting, for a significand with `shift` bits to cut.
constexpr std::uint64_t rounding_addend(Round round, bool negative, std::uint64_t significand,
                                        int shift) {
  const std::uint64_t all = (std::uint64_t{1} << shift) - 1, half = (all >> 1) + 1;
  switch (round) {
    case Round::rn:
      return half - 1 + (significand >> shift & 1);
    case Round::rna:
      return half;
    case Round::rz:
      return 0;
    case Round::rm:
      return negative ? all : 0;
    case Round::rp:
      return negative ? 0 : all;
  }
  return 0;
}

// The code of a number, given exactly or rounded to odd; `finite`: .satfinite.
template <Format format>
constexpr std::uint32_t encode(double value, Round round, bool finite) {
  constexpr std::uint64_t infinity = std::uint64_t{0x7ff} << 52, implicit = std::uint64_t{1} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const bool negative = bits >> 63 != 0;
  const std::uint32_t sign = negative ? format.sign() : 0u;
  if (magnitude > infinity) return format.nan();
  if (magnitude == 0) return sign;

  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  const int least = std::max(exponent, 1 - format.bias());
  // Beyond 60 bits every direction sees the same: less than half of the last place, not zero.
  const int shift = std::min(52 - format.fraction_bits + (least - exponent), 60);
  const std::uint64_t significand = (magnitude & (implicit - 1)) | implicit;
  const std::uint64_t kept =
      (significand + rounding_addend(round, negative, significand, shift)) >> shift;
  // The leading bit of a normal number, and any carry, increments the exponent field by itself.
  const std::uint64_t code =
      (static_cast<std::uint64_t>(least - 1 + format.bias()) << format.fraction_bits) + kept;
  if (code <= format.largest()) return sign | static_cast<std::uint32_t>(code);
  if (finite || format.top == Format::Top::numbers) return sign | format.largest();
  if (format.top == Format::Top::last_is_nan) return format.nan();
  const bool cuts = round == Round::rz || round == (negative ? Round::rp : Round::rm);
  return sign | (cuts && magnitude != infinity ? format.largest() : format.infinity());
}

template <Format format>
constexpr double decode(std::uint32_t code) {
  const std::uint32_t magnitude = code & (format.sign() - 1);
  const std::uint32_t field = magnitude >> format.fraction_bits;
  const std::uint32_t fraction = magnitude & ((1u << format.fraction_bits) - 1);
  const auto power = [](int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  };
  constexpr int lowest = 1 - format.bias() - format.fraction_bits;
  double value = 0.0;
  if (magnitude > format.largest())
    value = format.top == Format::Top::ieee && magnitude == format.infinity() ? __builtin_inf()
                                                                              : __builtin_nan("");
  else if (field == 0)
    value = fraction * power(lowest);
  else
    value = (fraction + (1u << format.fraction_bits)) * power(lowest - 1 + static_cast<int>(field));
  return (code & format.sign()) != 0 ? -value : value;
}

static_assert(decode<e4m3_format>(0x7e) == 448.0 && decode<e2m1_format>(7) == 6.0);
static_assert(decode<e3m2_format>(0x1f) == 28.0 && decode<e2m3_format>(0x1f) == 7.5);
static_assert(encode<e5m2_format>(1e9, Round::rn, true) == 0x7b);
static_assert(encode<f16_format>(65520.0, Round::rz, false) == 0x7bff);

}  // namespace aisp::sim
