// mma.m8n8k4 of Volta as a warp's product of 16x16, 4 deep: the instruction does four products of
// 8x8, each by one quad pair (lanes 4p to 4p+3 and 16+4p to 19+4p); here they are the quarters.
#pragma once

#include "tile/atom/cell.hpp"

namespace aisp::tile {

struct MmaVolta {
  static constexpr Element element = Element::f16;
  using ElementAccumulator = float;
  static constexpr int first_architecture = 70;
  static constexpr int m = 16, n = 16, k = 4, lanes = 32;
  static constexpr int per_register = 2, a_registers = 2, b_registers = 2, accumulators = 8;
  static constexpr int vector_registers = 2;  // four f16 along k
  static constexpr bool of_matrices = false;

  // Row `row` of the instruction in quad pair p, as a row of the 16. Bit 1 of the row becomes bit
  // 3, so that a lane's accumulators lie 8 rows apart like those of later instructions; p % 2 fills
  // the gap.
  static TILE_FN int row_of(int row, int pair) {
    return (row & 1) | (pair & 1) << 1 | (row & 4) | (row & 2) << 2;
  }
  static TILE_FN int column_of(int column, int pair) { return column + 8 * (pair / 2); }
  static TILE_FN int pair_of(int lane) { return lane / 4 % 4; }
  // The row of A and the column of B that a lane brings.
  static TILE_FN int line_of(int lane) { return lane % 4 + lane / 16 * 4; }

  static TILE_FN Cell a(int lane, int reg, int at) {
    return {row_of(line_of(lane), pair_of(lane)), 2 * reg + at};
  }
  static TILE_FN Cell b(int lane, int reg, int at) {
    return {column_of(line_of(lane), pair_of(lane)), 2 * reg + at};
  }
  static TILE_FN Cell accumulator(int lane, int index) {
    const int row = (lane & 1) | (index & 2) | lane / 16 * 4;
    const int column = (index & 4) | (lane & 2) | (index & 1);
    return {row_of(row, pair_of(lane)), column_of(column, pair_of(lane))};
  }
};

static_assert(is_atom<MmaVolta>);

}  // namespace aisp::tile
