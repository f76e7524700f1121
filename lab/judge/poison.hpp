// What outputs are filled with before a checked run: a byte that makes every floating-point element
// a NaN, so that an element no thread wrote cannot pass. Integer types have no NaN: their outputs
// are poisoned too and read -1 (i32) or 255 (u8), which the judge sees as an ordinary wrong value,
// or not at all where the reference holds that very value. A case with integer outputs should
// expect other values somewhere in every tile.
#pragma once

#include <bit>
#include <cstdint>

#include "base/number/format.hpp"

namespace aisp::lab {

inline constexpr unsigned char poison_byte = 0xFF;

template <base::Format format>
inline constexpr bool poison_decodes_to_nan = [] {
  std::uint32_t code = 0;
  for (int bits = 0; bits < format.bits(); bits += 8) code = code << 8 | poison_byte;
  return base::decode<format>(code) != base::decode<format>(code);
}();

static_assert(poison_decodes_to_nan<base::f32> && poison_decodes_to_nan<base::f16> &&
              poison_decodes_to_nan<base::bf16> && poison_decodes_to_nan<base::e4m3> &&
              poison_decodes_to_nan<base::e5m2>);
static_assert(std::bit_cast<double>(poison_byte * 0x0101010101010101u) !=
              std::bit_cast<double>(poison_byte * 0x0101010101010101u));

}  // namespace aisp::lab
