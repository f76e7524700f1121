// cp.async as an atom: one lane moves 16 bytes that are aligned on both sides, of which the first
// ones come from memory and the rest are zeros.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile {

struct CpAsync16 {
  static constexpr int bytes = 16;
  static constexpr int first_architecture = 80;

  // Bytes to read of the 16 at byte `at` of a line that has `length` bytes left.
  static TILE_FN int valid(int at, int length) {
    const int left = length - at;
    return left < 0 ? 0 : left > bytes ? bytes : left;
  }
  // A matrix whose lines can be copied so: where it starts, and from one line to the next.
  static TILE_FN bool admits(unsigned long long address, long long line_bytes) {
    return address % bytes == 0 && line_bytes % bytes == 0;
  }
};

static_assert(CpAsync16::valid(32, 38) == 6 && CpAsync16::valid(48, 38) == 0);

}  // namespace aisp::tile
