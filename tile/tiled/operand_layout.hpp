// Where an operand tile's bytes lie in shared memory, as a layout: panels side by side, each with
// all lines, 16-byte chunks permuted within groups of 8 lines. The start of the tile is a multiple
// of the permutation's 1024 bytes.
#pragma once

#include "tile/layout/offset.hpp"
#include "tile/tiled/operand_tile.hpp"

namespace aisp::tile {

// (line, byte) -> byte of the tile.
TILE_FN Swizzled line_layout(const OperandTile& tile) {
  const int width = width_of(tile.swizzle);
  return compose(memory_swizzle(width, 8), Layout{Shape{tile.lines(), Shape{width, tile.panels()}},
                                                  Stride{width, Stride{1, tile.panel_bytes()}}});
}

// (row, k) -> byte of the tile, in elements: (BLK_M, BLK_K) of A, (BLK_N, BLK_K) of B.
TILE_FN Swizzled operand_layout(const OperandTile& tile) {
  const Shape across{tile.panel_width(), tile.panels()};
  const Stride across_stride{bytes_of(tile.element), tile.panel_bytes()};
  const int width = width_of(tile.swizzle);
  return compose(memory_swizzle(width, 8),
                 tile.major == Major::k
                     ? Layout{Shape{tile.lines(), across}, Stride{width, across_stride}}
                     : Layout{Shape{across, tile.lines()}, Stride{across_stride, width}});
}

// The permutation repeats after 8 lines: whole groups can be added to an offset.
inline constexpr int swizzle_lines = 8;

template <OperandTile tile>
TILE_FN int line_offset(int line, int byte) {
  return offset_at<line_layout(tile)>(line, byte);
}
// Where TMA is told to put a box: the lines of a panel from `line` on.
template <OperandTile tile>
TILE_FN int line_start(int line, int panel) {
  return offset_at<line_layout(tile).layout>(line, panel * width_of(tile.swizzle));
}

// Where an element lies.
template <OperandTile tile>
TILE_FN int operand_offset(int row, int k) {
  return offset_at<operand_layout(tile)>(row, k);
}

// The operands of single instructions, `rows` rows by 32 bytes of k each: the tile divided by them.
// (piece along m or n, step) -> byte where a piece begins, without the permutation.
template <OperandTile tile, int rows = tile.rows>
TILE_FN int piece_start(int piece, int step) {
  constexpr Layout pieces =
      mode(zipped_divide<operand_layout(tile).layout, Shape{rows, tile.step_k()}>(), 1);
  return offset_at<pieces>(piece, step);
}

// The address that wgmma is given for what begins with an element: it permutes the chunks itself.
template <OperandTile tile>
TILE_FN int operand_start(int row, int k) {
  return offset_at<operand_layout(tile).layout>(row, k);
}

static_assert(operand_start<OperandTile{.rows = 128, .k = 64}>(64, 3 * 16) == 64 * 128 + 96);
static_assert(operand_start<OperandTile{.major = Major::mn, .rows = 128, .k = 64}>(64, 16) ==
              8192 + 2048);
static_assert(piece_start<OperandTile{.rows = 128, .k = 64}, 64>(1, 3) == 64 * 128 + 96);
static_assert(operand_offset<OperandTile{.rows = 128, .k = 64}>(3, 8) ==
              line_offset<OperandTile{.rows = 128, .k = 64}>(3, 16));

// The two distances of wgmma's descriptor. K-major: from one group of 8 rows to the next (`stride`)
// and, without swizzle, from one 16-byte column to the next (`leading`). MN-major: from 8 k to the
// next (`stride`) and from panel to panel (`leading`), without swizzle exchanged.
struct DescriptorStrides {
  int leading = 0, stride = 0;
};
template <OperandTile tile>
TILE_FN DescriptorStrides descriptor_strides() {
  constexpr int width = tile.panel_width();
  if (tile.major == Major::k) return {operand_start<tile>(0, width), operand_start<tile>(8, 0)};
  const int panel = operand_start<tile>(width, 0), lines = operand_start<tile>(0, 8);
  return tile.swizzle == SwizzleMode::none ? DescriptorStrides{lines, panel}
                                           : DescriptorStrides{panel, lines};
}

}  // namespace aisp::tile
