// The shapes of tcgen05.ld, st and cp.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile::arch {

// ld and st: lanes of tensor memory x bits of a row that go to one group of registers, which the
// instruction repeats along the columns.
enum class TmemShape { l32x32b, l16x64b, l16x128b, l16x256b, l16x32bx2 };

TILE_FN int registers_per_repeat(TmemShape shape) {
  return shape == TmemShape::l16x128b ? 2 : shape == TmemShape::l16x256b ? 4 : 1;
}

// cp: rows x bits of a row, and which warps' lanes get a copy.
enum class TmemCopyShape {
  l128x256b,
  l128x128b,
  l4x256b,
  l64x128b_02_13,
  l64x128b_01_23,
  l32x128b,
};

}  // namespace aisp::tile::arch
