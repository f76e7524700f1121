// ldmatrix.x4 as the reader of a block of 16 rows and 32 bytes of k: four matrices of 8 rows of 16
// bytes. Result h + 2 c is rows 8 h on of 16-byte column c, in both forms.
#pragma once

#include "tile/atom/cell.hpp"

namespace tile {

struct LoadMatrices {
  static constexpr int rows = 16, k_bytes = 32, lanes = 32, registers = 4;

  // The 16 bytes that a lane gives the address of, in units of 8 rows x 16 bytes: matrix lane / 8,
  // its line lane % 8. K-major: a line is a row, {row, 16-byte column of k}.
  static TILE_FN Cell k_major(int lane) { return {lane % 8 + lane / 8 % 2 * 8, lane / 16}; }
  // MN-major, with .trans, 16-bit elements: a line is one k, {k, 8 rows from 8 * column}.
  static TILE_FN Cell mn_major(int lane) { return {lane % 8 + lane / 16 * 8, lane / 8 % 2}; }

  // What a lane receives: {row, 4-byte word along k} of a register (K-major, any element).
  static TILE_FN Cell word(int lane, int reg) {
    return {lane / 4 + 8 * (reg % 2), lane % 4 + 4 * (reg / 2)};
  }
};

static_assert(covered<16, 2>(32, 1, 1, [](int lane, int) { return LoadMatrices::k_major(lane); }));
static_assert(covered<16, 2>(32, 1, 1, [](int lane, int) { return LoadMatrices::mn_major(lane); }));
static_assert(covered<16, 8>(32, 4, 1, LoadMatrices::word));

}  // namespace tile
