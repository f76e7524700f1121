// How a tile of A or B lies in shared memory so that TMA writes it and wgmma reads it: one
// statement for both, because they must agree on panels, swizzle and strides. The layout that
// follows from it is in tile/tiled/operand_layout.hpp.
#pragma once

#include "tile/atom/element.hpp"

namespace aisp::tile {

// The swizzle atom: 8 lines of so many bytes whose 16-byte chunks are permuted, so that neither
// side meets a bank conflict. None: 16-byte columns one after the other, no permutation.
enum class SwizzleMode { none = 16, bytes_32 = 32, bytes_64 = 64, bytes_128 = 128 };
TILE_FN int width_of(SwizzleMode swizzle) { return static_cast<int>(swizzle); }

// The widest swizzle whose rows a line of `bytes` fills.
TILE_FN SwizzleMode widest_swizzle(int bytes) {
  return bytes % 128 == 0  ? SwizzleMode::bytes_128
         : bytes % 64 == 0 ? SwizzleMode::bytes_64
         : bytes % 32 == 0 ? SwizzleMode::bytes_32
                           : SwizzleMode::none;
}

// A tile is cut into panels, swizzle atoms one below the other: `swizzle` bytes wide along the
// contiguous index, with all of the tile's other index. They follow each other in shared memory;
// TMA brings each as one box.
struct OperandTile {
  Element element = Element::bf16;
  Major major = Major::k;
  int rows = 0;  // along m or n
  int k = 0;     // both in elements
  SwizzleMode swizzle = SwizzleMode::bytes_128;

  TILE_FN int bytes() const { return rows * k * bytes_of(element); }
  // A line runs along the contiguous index: a row of a K-major tile, one k of an MN-major one.
  TILE_FN int line_bytes() const { return (major == Major::k ? k : rows) * bytes_of(element); }
  TILE_FN int lines() const { return major == Major::k ? rows : k; }
  TILE_FN int panel_width() const { return width_of(swizzle) / bytes_of(element); }  // elements
  TILE_FN int panels() const { return line_bytes() / width_of(swizzle); }
  TILE_FN int panel_bytes() const { return lines() * width_of(swizzle); }

  // One instruction takes 32 bytes along k of a K-major row: 16 elements of 16 bits.
  TILE_FN int step_k() const { return 32 / bytes_of(element); }
  TILE_FN int steps() const { return k / step_k(); }

  constexpr bool operator==(const OperandTile&) const = default;
};

static_assert(OperandTile{.rows = 128, .k = 64}.panels() == 1);
static_assert(OperandTile{.major = Major::mn, .rows = 128, .k = 64}.panels() == 2);

}  // namespace aisp::tile
