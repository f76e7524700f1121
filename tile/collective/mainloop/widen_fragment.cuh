// Two 8-bit elements become two 16-bit ones in registers, exactly, in 1 to 4 instructions: what a
// main loop does to an operand on its way to the matrix unit. The same numbers as tile/atom/widen.
#pragma once

#include "tile/arch/convert.cuh"
#include "tile/atom/element.hpp"

namespace aisp::tile {

namespace detail {

// Each byte under a byte of `above`: 0xAAbb'AAaa.
TILE_DEVICE std::uint32_t spread_bytes(std::uint32_t codes, std::uint32_t above) {
  return __byte_perm(codes, above, 0x4140);
}

// f16 0x6400 is 1024 with a last place of 1: 1024 + (x + 128) - 1152 = x.
TILE_DEVICE std::uint32_t s8_to_f16(std::uint32_t codes) {
  return arch::subtract_f16(spread_bytes(codes, 0x64) ^ 0x00800080, 0x64806480);
}

// bf16 0x4300 is 128 with a last place of 1, 0x4380 is 256: the low 7 bits under the former, minus
// 128 or, where the sign bit stands, 256.
TILE_DEVICE std::uint32_t s8_to_bf16(std::uint32_t codes) {
  const std::uint32_t spread = spread_bytes(codes, 0x43);
  return arch::subtract_bf16(spread & 0x437f437f, spread & 0x43804380);
}

// f16 with the lower fraction cut off.
TILE_DEVICE std::uint32_t e5m2_to_f16(std::uint32_t codes) { return __byte_perm(codes, 0, 0x1404); }

// By way of f32, whose range holds both.
TILE_DEVICE std::uint32_t f16_to_bf16(std::uint32_t pair) {
  const float2 values = arch::f16_to_floats(pair);
  return arch::pack_bf16(values.x, values.y);
}

}  // namespace detail

// The first element in the low byte of `codes` and in the low half of the result. Bits of `codes`
// above these two bytes do not matter.
template <Element from, Element to>
TILE_DEVICE std::uint32_t widen_pair(std::uint32_t codes) {
  static_assert(bytes_of(from) == 1 && bytes_of(to) == 2);
  if constexpr (from == Element::s8) {
    return to == Element::f16 ? detail::s8_to_f16(codes) : detail::s8_to_bf16(codes);
  } else {
    const std::uint32_t f16 = from == Element::e5m2
                                  ? detail::e5m2_to_f16(codes)
                                  : arch::e4m3_to_f16(static_cast<std::uint16_t>(codes));
    return to == Element::f16 ? f16 : detail::f16_to_bf16(f16);
  }
}

}  // namespace aisp::tile
