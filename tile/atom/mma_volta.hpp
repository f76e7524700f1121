// mma.m8n8k4 of Volta as a warp's product of 16x16, 4 deep: the instruction does four products of
// 8x8, each by one quad pair (lanes 4p to 4p+3 and 16+4p to 19+4p); here they are the quarters.
#pragma once

#include "tile/atom/lane_layout.hpp"

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

  // Bit by bit of the lane: bits 0, 1 and 4 are the line, bits 2 and 3 the quad pair.
  static TILE_FN LaneLayout a_layout() {
    return {m, k, Layout{Shape{Shape{2, 2, 2, 2, 2}, k}, Stride{Stride{1, 8, 2, 0, 4}, m}}};
  }
  static TILE_FN LaneLayout b_layout() {
    return {n, k, Layout{Shape{Shape{4, 2, 2, 2}, k}, Stride{Stride{1, 0, 8, 4}, n}}};
  }
  static TILE_FN LaneLayout accumulator_layout() {
    return {m, n,
            Layout{Shape{Shape{2, 2, 2, 2, 2}, Shape{2, 2, 2}},
                   Stride{Stride{1, 2 * m, 2, 8 * m, 4}, Stride{m, 8, 4 * m}}}};
  }

  static TILE_FN Cell a(int lane, int reg, int at) {
    return cell_at<a_layout>(lane, per_register * reg + at);
  }
  static TILE_FN Cell b(int lane, int reg, int at) {
    return cell_at<b_layout>(lane, per_register * reg + at);
  }
  static TILE_FN Cell accumulator(int lane, int index) {
    return cell_at<accumulator_layout>(lane, index);
  }
};

static_assert(is_atom<MmaVolta>);

}  // namespace aisp::tile
