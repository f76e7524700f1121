// The shapes of tcgen05.ld and st: lanes of tensor memory x bits of a row that go to one group of
// registers, which the instruction repeats along the columns.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile::arch {

enum class TmemShape { l32x32b, l16x64b, l16x128b, l16x256b, l16x32bx2 };

TILE_FN int registers_per_repeat(TmemShape shape) {
  return shape == TmemShape::l16x128b ? 2 : shape == TmemShape::l16x256b ? 4 : 1;
}

}  // namespace aisp::tile::arch
