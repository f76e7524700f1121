// Where the rows and columns of an accumulator are in tensor memory: the layouts A to G of the PTX
// ISA. Plain constexpr functions, which tests compare with other statements.
#pragma once

#include <cstdint>

namespace aisp::sim {

struct AccumulatorLayout {
  int rows = 128;  // of one block
  int pieces = 1;  // N is cut into so many, which lie in groups of lanes below each other
  int piece_lanes = 0;
  bool spread = false;  // 16 rows in every quarter

  static constexpr AccumulatorLayout of(int m, bool pair, bool weight_stationary, bool sparse) {
    if (m == (pair ? 256 : 128)) return {};           // A, D
    if (pair && !sparse) return {64, 2, 64, false};   // B
    if (!weight_stationary) return {64, 1, 0, true};  // C, F
    return m == 64 ? AccumulatorLayout{64, 2, 64, false} : AccumulatorLayout{32, 4, 32, false};
  }

  constexpr int lane(int row, int piece) const {
    return (spread ? 32 * (row / 16) + row % 16 : row) + piece * piece_lanes;
  }
};

// Where the metadata of a sparse A is. It is stored beside the accumulators: 16 lanes hold the
// metadata of the 16 rows of A whose accumulators these lanes hold.
struct MetadataLayout {
  // f16, bf16 and tf32: a row has 32 bits. Rows r and r + 8 share the words of lanes r and r + 8;
  // the second one holds the upper half of K. One column. Narrower types: a row has 64 bits, in two
  // columns of its own lane.
  bool shares_words = false;

  struct Place {
    int lane = 0, column = 0, bit = 0;
  };
  constexpr int columns() const { return shares_words ? 1 : 2; }
  // `lane`: that of the row's accumulators.
  constexpr Place place(int lane, int nibble) const {
    if (!shares_words) return {lane, nibble / 8, nibble % 8 * 4};
    return {lane / 16 * 16 + lane % 8 + nibble / 4 * 8, 0, nibble % 4 * 4 + lane % 16 / 8 * 16};
  }
};

static_assert(AccumulatorLayout::of(64, false, false, false).lane(17, 0) == 33);
static_assert(AccumulatorLayout::of(128, true, false, false).lane(17, 1) == 81);
static_assert(AccumulatorLayout::of(128, true, false, true).lane(17, 0) == 33);
static_assert(AccumulatorLayout::of(32, false, true, true).lane(3, 2) == 67);

}  // namespace aisp::sim
