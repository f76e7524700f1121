// Where the rows and columns of an accumulator lie in tensor memory: the layouts A, B, D, E, F and
// G of the PTX ISA. Plain constexpr functions, which tests compare with other statements.
#pragma once

#include <cstdint>

namespace aisp::sim {

struct AccumulatorLayout {
  int rows = 128;  // of one block
  int pieces = 1;  // N is cut into so many, which lie in groups of lanes below each other
  int piece_lanes = 0;
  bool spread = false;  // 16 rows in every quarter

  static constexpr AccumulatorLayout of(int m, bool pair, bool weight_stationary) {
    if (pair) return m == 256 ? AccumulatorLayout{} : AccumulatorLayout{64, 2, 64, false};  // A, B
    if (m == 128) return {};                                                                // D
    if (!weight_stationary) return {64, 1, 0, true};                                        // F
    return m == 64 ? AccumulatorLayout{64, 2, 64, false} : AccumulatorLayout{32, 4, 32, false};
  }

  constexpr int lane(int row, int piece) const {
    return (spread ? 32 * (row / 16) + row % 16 : row) + piece * piece_lanes;
  }
};

static_assert(AccumulatorLayout::of(64, false, false).lane(17, 0) == 33);
static_assert(AccumulatorLayout::of(32, false, true).lane(3, 2) == 67);

}  // namespace aisp::sim
