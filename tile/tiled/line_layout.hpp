// Where byte `byte` of line `line` of an operand tile lies in shared memory, as a layout: boxes
// side by side, each with all lines, 16-byte units permuted within groups of 8 lines.
#pragma once

#include "tile/layout/offset.hpp"
#include "tile/tiled/operand_tile.hpp"

namespace tile {

// (line, byte) -> byte of the tile. A line is a row of a K-major tile, one k of an MN-major one.
TILE_FN Swizzled line_layout(const OperandTile& tile) {
  const int width = width_of(tile.swizzle);
  return compose(memory_swizzle(width, 8), Layout{Shape{tile.lines(), Shape{width, tile.boxes()}},
                                                  Stride{width, Stride{1, tile.box_bytes()}}});
}

// The permutation repeats after 8 lines: whole groups can be added to an offset.
inline constexpr int swizzle_lines = 8;

template <OperandTile tile>
TILE_FN int line_offset(int line, int byte) {
  return offset_at<line_layout(tile)>(line, byte);
}

}  // namespace tile
