// ldmatrix.x4 as the reader, and stmatrix.x4 as the writer, of 16 rows and 32 bytes of k: four
// matrices of 8 rows of 16 bytes. Register h + 2 c is rows 8 h on of 16-byte column c, in both
// forms.
#pragma once

#include "tile/atom/lane_layout.hpp"

namespace aisp::tile {

struct LdMatrixX4 {
  static constexpr int rows = 16, k_bytes = 32, lanes = 32, registers = 4;

  // The 16-byte chunk that a lane gives the address of: of matrix lane / 8, line lane % 8. K-major:
  // a line is a row, {row, 16-byte column of k}.
  static TILE_FN LaneLayout k_major_layout() {
    return {rows, 2, Layout{Shape{Shape{8, 2, 2}, 1}, Stride{Stride{1, 8, 16}, 0}}};
  }
  static TILE_FN Cell k_major(int lane) { return cell_at<k_major_layout>(lane, 0); }
  // MN-major, with .trans, 16-bit elements: a line is one k, {k, 8 rows from 8 * column}.
  static TILE_FN LaneLayout mn_major_layout() {
    return {rows, 2, Layout{Shape{Shape{8, 2, 2}, 1}, Stride{Stride{1, 16, 8}, 0}}};
  }
  static TILE_FN Cell mn_major(int lane) { return cell_at<mn_major_layout>(lane, 0); }

  // The same with the matrices in another order, register 2 h + c, so that two neighbours are
  // operand B of an mma.sync, which wants them in neighbouring registers.
  static TILE_FN Cell k_major_pairs(int lane) { return mn_major(lane); }
  static TILE_FN Cell mn_major_pairs(int lane) { return k_major(lane); }

  // What a lane receives: {row, 4-byte word along k} of a register (K-major, any element).
  static TILE_FN LaneLayout word_layout() { return quad_operand(k_bytes / 4, 1); }
  static TILE_FN Cell word(int lane, int reg) { return cell_at<word_layout>(lane, reg); }
};

static_assert(covers_once(LdMatrixX4::k_major_layout()) &&
              covers_once(LdMatrixX4::mn_major_layout()) && covers_once(LdMatrixX4::word_layout()));

}  // namespace aisp::tile
