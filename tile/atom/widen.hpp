// Exact conversions between elements on their way to the matrix unit: the format in which a product
// of two elements can be computed without loss, and the codes in it. Integer arithmetic, the same
// on every architecture (sm_80 has no instruction that reads fp8).
#pragma once

#include "tile/atom/convert.hpp"

namespace aisp::tile {

TILE_FN bool is_fp8(Element element) {
  return element == Element::e4m3 || element == Element::e5m2;
}

// Both operands fit it exactly; an 8-bit element fits every wider one. bf16 and f16 meet in f32.
TILE_FN Element meeting_element(Element a, Element b) {
  if (is_fp8(a) && is_fp8(b)) return Element::f16;
  if (a == b) return a;
  if (bytes_of(a) == 1 && bytes_of(b) == 1) return Element::f16;  // s8 and fp8
  if (bytes_of(a) == 1) return b;
  if (bytes_of(b) == 1) return a;
  return Element::f32;
}

namespace detail {

// Sign, exponent and fraction of a small float as those of f32, then scaled to its bias: exact,
// subnormals included. `special` is the smallest magnitude that is infinity or NaN.
template <int exponent_bits, int fraction_bits>
TILE_FN float widen_float(unsigned code, unsigned special) {
  const unsigned magnitude = code & ((1u << (exponent_bits + fraction_bits)) - 1);
  const unsigned sign = code >> (exponent_bits + fraction_bits) << 31;
  const bool is_e4m3 = fraction_bits == 3;  // all ones is NaN, there is no infinity
  const unsigned moved = magnitude << (23 - fraction_bits);
  if (magnitude >= special)
    return __builtin_bit_cast(float, sign | 0x7f800000u | (is_e4m3 ? 0x400000u : moved));
  // 2^(127 - bias)
  constexpr unsigned scale = (127u + 127u - ((1u << (exponent_bits - 1)) - 1)) << 23;
  return __builtin_bit_cast(float, sign | moved) * __builtin_bit_cast(float, scale);
}

template <Element element>
TILE_FN float to_f32(Code<element> code) {
  if constexpr (element == Element::e4m3)
    return widen_float<4, 3>(code, 0x7f);
  else if constexpr (element == Element::e5m2)
    return widen_float<5, 2>(code, 0x7c);
  else if constexpr (element == Element::f16)
    return widen_float<5, 10>(code, 0x7c00);
  else
    return decode_one<element>(code);
}

// Of a float that is an f16 number, and no subnormal one: fp8 and s8 are such.
TILE_FN std::uint16_t to_f16(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t sign = bits >> 31 << 15, magnitude = bits & 0x7fffffffu;
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  if (magnitude >= 0x7f800000u)
    return static_cast<std::uint16_t>(sign | 0x7c00 | (magnitude & 0x7fffff) >> 13);
  return static_cast<std::uint16_t>(sign | ((magnitude >> 13) - (112u << 10)));
}

}  // namespace detail

// `to` is meeting_element of `from` and something: the conversion is exact.
template <Element from, Element to>
TILE_FN Code<to> widen(Code<from> code) {
  if constexpr (from == to || (bytes_of(from) == 4 && bytes_of(to) == 4))
    return code;
  else if constexpr (from == Element::e5m2 && to == Element::f16)
    return static_cast<Code<to>>(code << 8);  // f16 with the lower fraction cut off
  else if constexpr (to == Element::f16)
    return detail::to_f16(detail::to_f32<from>(code));
  else if constexpr (to == Element::bf16)
    return static_cast<Code<to>>(__builtin_bit_cast(std::uint32_t, detail::to_f32<from>(code)) >>
                                 16);
  else
    return __builtin_bit_cast(std::uint32_t, detail::to_f32<from>(code));
}

}  // namespace aisp::tile
