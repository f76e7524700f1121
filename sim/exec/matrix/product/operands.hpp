// Floating-point operands taken apart for the aligned sums of floats.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/number/format.hpp"

namespace aisp::sim {

// An operand is one word: its significand, signed and scaled by a power of two, in the low half,
// its exponent in the high half.
inline constexpr int zero_exponent = -8192;    // far below every other
inline constexpr int special_exponent = 8192;  // significand 0: NaN; +1, -1: infinity

constexpr std::uint32_t pack_operand(int significand, int exponent) {
  return (static_cast<std::uint32_t>(significand) & 0xffffu) | static_cast<std::uint32_t>(exponent)
                                                                   << 16;
}
constexpr int significand_of(std::uint32_t operand) {
  return static_cast<std::int16_t>(operand & 0xffffu);
}
constexpr int exponent_of(std::uint32_t operand) {
  return static_cast<std::int32_t>(operand) >> 16;
}

// A format all of whose codes are numbers, beside those of base.
struct NumberFormat {
  int exponent_bits = 0, fraction_bits = 0;
  static constexpr bool has_infinity = false;
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint32_t sign_code() const { return 1u << (exponent_bits + fraction_bits); }
  constexpr std::uint32_t infinity_code() const { return sign_code(); }
  constexpr std::uint32_t largest_code() const { return sign_code() - 1; }
};
inline constexpr NumberFormat e3m2_numbers{3, 2}, e2m3_numbers{2, 3}, e2m1_numbers{2, 1};

// Subnormal numbers keep the exponent of the smallest normal one and are not normalised.
template <auto format>
constexpr std::uint32_t take_apart(std::uint32_t code, int shift) {
  const std::uint32_t magnitude = code & (format.sign_code() - 1);
  const int field = static_cast<int>(magnitude >> format.fraction_bits);
  const int fraction = static_cast<int>(magnitude & ((1u << format.fraction_bits) - 1));
  const bool negative = (code & format.sign_code()) != 0;
  int significand = (fraction | (field != 0) << format.fraction_bits) << shift;
  int exponent = std::max(field, 1) - format.bias();
  exponent = magnitude == 0 ? zero_exponent : exponent;
  const bool is_special = magnitude > format.largest_code();
  const bool is_nan = is_special && !(format.has_infinity && magnitude == format.infinity_code());
  significand = is_special ? !is_nan : significand;
  exponent = is_special ? special_exponent : exponent;
  return pack_operand(negative ? -significand : significand, exponent);
}

template <auto format>
void take_apart_all(const std::uint32_t* codes, int count, int low_bits, int shift,
                    std::uint32_t* operands) {
  for (int i = 0; i < count; ++i) operands[i] = take_apart<format>(codes[i] >> low_bits, shift);
}

}  // namespace aisp::sim
