// Block scales: every so many elements along k have a common factor, which the matrix unit applies
// as it multiplies. Where a factor lies is the same in global memory (as cuBLASLt and CUTLASS have
// it), in shared memory and, column by column, in tensor memory.
#pragma once

#include <cstdint>

#include "tile/atom/element.hpp"
#include "tile/layout/layout.hpp"

namespace aisp::tile {

enum class Scaling {
  none,
  mx,  // OCP's microscaling formats: a power of two (ue8m0) for 32 elements
  nv,  // NVFP4: a positive e4m3 (ue4m3) for 16 elements of e2m1
};

constexpr const char* name_of(Scaling scaling) {
  constexpr const char* names[] = {"no block scales", "mx scales (ue8m0, 32 elements)",
                                   "nv scales (ue4m3, 16 elements)"};
  return names[static_cast<int>(scaling)];
}

// Elements along k that share a factor.
TILE_FN int scaled_together(Scaling scaling) { return scaling == Scaling::nv ? 16 : 32; }

// Factors lie in blocks of 128 rows x 4: 32 rows of 16 bytes, in each the fours of rows r, r + 32,
// r + 64 and r + 96. tcgen05.cp brings such a block into four columns of tensor memory.
inline constexpr int scale_rows = 128, scales_in_group = 4, scale_block_bytes = 512;
// (row, scale) of a block -> byte.
TILE_FN Layout scale_block() {
  return {Shape{Shape{32, 4}, scales_in_group}, Stride{Stride{16, 4}, 1}};
}

// The factors of `rows` x `k` elements: whole blocks, those along k one behind the other.
struct ScaleExtent {
  std::int64_t rows = 0, k = 0;
  Scaling scaling = Scaling::nv;

  TILE_FN std::int64_t row_blocks() const { return (rows + scale_rows - 1) / scale_rows; }
  TILE_FN std::int64_t groups() const {
    const std::int64_t elements = scales_in_group * scaled_together(scaling);
    return (k + elements - 1) / elements;
  }
  TILE_FN std::int64_t bytes() const { return row_blocks() * groups() * scale_block_bytes; }
  TILE_FN std::int64_t offset(std::int64_t row, std::int64_t scale) const {
    const std::int64_t block = row / scale_rows * groups() + scale / scales_in_group;
    const auto of_row = static_cast<int>(row % scale_rows);
    return block * scale_block_bytes + 16 * (of_row % 32) + 4 * (of_row / 32) +
           scale % scales_in_group;
  }
  // (row, scale) -> byte, of what an int can count.
  TILE_FN Layout layout() const {
    const auto groups_ = static_cast<int>(groups());
    return {Shape{Shape{32, 4, static_cast<int>(row_blocks())}, Shape{scales_in_group, groups_}},
            Stride{Stride{16, 4, groups_ * scale_block_bytes}, Stride{1, scale_block_bytes}}};
  }
};

static_assert(scale_block()(33, 2) == 16 + 4 + 2);
static_assert(ScaleExtent{300, 1000, Scaling::nv}.layout()(290, 61) ==
              ScaleExtent{300, 1000, Scaling::nv}.offset(290, 61));

}  // namespace aisp::tile
