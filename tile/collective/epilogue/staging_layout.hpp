// Where the lanes of a warp put its accumulators in a staged subtile: the lane map of what they
// write with, composed with the subtile's layout. The arithmetic that a kernel runs is beside it;
// tests/tile/collective/staging_layout_test.cpp proves the two equal for every subtile.
#pragma once

#include "tile/atom/ldmatrix.hpp"
#include "tile/atom/wgmma.hpp"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

// (LANE, (16 rows, 16 columns)) -> byte of the 16 that a lane of stmatrix.x4 gives the address of:
// the subtile divided by what the instruction writes, and its lanes inside of that.
TILE_FN Swizzled stmatrix_layout(const OperandTile& subtile) {
  constexpr int side = 16, chunk = 8;  // elements
  const Swizzled whole = operand_layout(subtile);
  const Layout squares = zipped_divide(whole.layout, Shape{side, side});
  // In a square of index row + 16 * column.
  const Layout lanes = subtile.major == Major::k
                           ? LdMatrixX4::k_major_layout().into(1, side * chunk)
                           : LdMatrixX4::mn_major_layout().into(side, chunk);
  return {whole.swizzle, whole.offset,
          join(compose(mode(squares, 0), mode(lanes, 0)), mode(squares, 1))};
}
// (LANE, (4, 16 rows, 8 columns)) -> byte of each of a lane's four accumulators in a fragment.
TILE_FN Swizzled fragment_layout(const OperandTile& subtile) {
  const Swizzled whole = operand_layout(subtile);
  const Layout fragments = zipped_divide(whole.layout, Shape{16, 8});
  const Layout in_fragment = compose(mode(fragments, 0), quad_accumulators(8).layout);
  const Layout rest = mode(fragments, 1);
  return {whole.swizzle, whole.offset,
          join(mode(in_fragment, 0), join(mode(in_fragment, 1), mode(rest, 0), mode(rest, 1)))};
}

// By hand: `row` and `column` are the corner of the 16x16.
template <OperandTile subtile>
TILE_FN int stmatrix_offset(int lane, int row, int column) {
  if constexpr (subtile.major == Major::k) {
    const Cell at = LdMatrixX4::k_major(lane);
    return operand_offset<subtile>(row + at.row, column + 8 * at.column);
  } else {
    const Cell at = LdMatrixX4::mn_major(lane);
    return operand_offset<subtile>(row + 8 * at.column, column + at.row);
  }
}
// ... of the 16x8, and `index` one of the four accumulators.
template <OperandTile subtile>
TILE_FN int fragment_offset(int lane, int index, int row, int column) {
  const Cell cell = wgmma_warp_accumulator(lane, index);
  return operand_offset<subtile>(row + cell.row, column + cell.column);
}

}  // namespace aisp::tile
