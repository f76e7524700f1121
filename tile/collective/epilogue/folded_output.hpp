// Where the output tiles of a contraction go: rows and columns are hierarchical modes of D, which
// gets boxes from TMA, or single elements from registers.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "tile/collective/load/folded_index.hpp"

namespace aisp::tile {

// What a warp stages of its 16 rows before they go to D.
enum class FoldedSubtile {
  wide,    // 64 columns of 16 bits
  narrow,  // 32
  f32,     // 32 of 32 bits
};
TILE_FN int columns_of(FoldedSubtile subtile) { return subtile == FoldedSubtile::wide ? 64 : 32; }

struct FoldedStore {
  FoldedSubtile subtile = FoldedSubtile::wide;
  bool by_tma = false;  // else element by element

  constexpr bool operator==(const FoldedStore&) const = default;
};

// Rows or columns of a tile in D, one by one.
struct FoldedAxis {
  int modes = 1;
  int log_box[FoldedIndex::most] = {};          // of what a tile has of each mode
  int extent[FoldedIndex::most] = {};           // of the mode
  std::int64_t stride[FoldedIndex::most] = {};  // in elements

  // Offset in D of row (or column) `index` of the tile; less than 0 where there is none.
  TILE_FN std::int64_t offset(const int* tile, int index) const {
    std::int64_t offset = 0;
    bool inside = true;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = 0; i < modes; ++i) {
      const int at = (tile[i] << log_box[i]) + (index & ((1 << log_box[i]) - 1));
      inside = inside && at < extent[i];
      offset += at * stride[i];
      index >>= log_box[i];
    }
    return inside ? offset : -1;
  }
};

// A tile's sides are rows and columns.
struct FoldedOutput {
  FoldedStore store{};
  FoldedIndex rows{}, columns{}, batch{};
  // By TMA.
  CUtensorMap map;
  FoldedCorner corner{};
  int row_group[8][5] = {};  // from the tile's corner to each 16 rows of its 128
  int subtile[8][5] = {};    // and to its columns, those of a subtile at a time
  // Element by element.
  void* data = nullptr;
  FoldedAxis along{}, across{};
  std::int64_t batch_stride[FoldedIndex::most] = {};

  TILE_FN std::int64_t product_offset(const int* product) const {
    std::int64_t offset = 0;
    for (int i = 0; i < FoldedIndex::most; ++i) offset += product[i] * batch_stride[i];
    return offset;
  }
};

}  // namespace aisp::tile
