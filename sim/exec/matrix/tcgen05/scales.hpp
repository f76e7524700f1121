// Block scales in tensor memory: row r of A, or column r of B, has its scales in byte 0 to 3 of
// column r / 32 and lane r % 32 of every quarter. A quarter of the accumulator reads its own copy.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/exec/matrix/product/product.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {

inline constexpr int quarter_rows = 32, quarters = 4;

// The codes of `count` scales of `rows` rows from `first` on as a quarter sees them, row by row.
std::vector<std::uint8_t> read_scales(Block& block, std::uint32_t address, int quarter, int first,
                                      int rows, int byte, int count);

constexpr bool is_nan_scale(std::uint8_t code, bool power) {
  return power ? code == 0xff : (code & 0x7f) == 0x7f;
}
// ue8m0: a power of two; ue4m3: a number, whose sign bit is not looked at.
constexpr BlockScale block_scale(std::uint8_t code, bool power) {
  if (power) return {8, code - 127};
  const int field = code >> 3 & 15, fraction = code & 7;
  return {field != 0 ? fraction + 8 : fraction, (field != 0 ? field : 1) - 7};
}
static_assert(block_scale(0x38, false).significand == 8 && block_scale(0x38, false).exponent == 0);
static_assert(block_scale(0x01, false).significand == 1 && block_scale(0x01, false).exponent == -6);

}  // namespace aisp::sim
