// Where the tiles of a product lie whose rows, columns and sum are hierarchical modes: which tile
// of each mode, and from there where its box starts in a tensor of up to five indices.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile {

// Tiles of one side of the product: of its rows, its columns, its sum, or the products of a batch.
struct FoldedIndex {
  static constexpr int most = 4;
  int modes = 1;
  int count[most] = {1, 1, 1, 1};  // tiles along each mode, the fastest first

  // The tile of each mode. What lies behind the last tile is outside of the last mode.
  TILE_FN void split(int tile, int* at) const {
    for (int i = 0; i < most; ++i) {
      const bool last = i + 1 >= modes;
      at[i] = last ? tile : tile % count[i];
      tile = last ? 0 : tile / count[i];
    }
  }
};

// The tile of every mode that a tensor has: two sides and the batch, and a mode that is always 0.
struct FoldedTile {
  static constexpr int first = 0, second = FoldedIndex::most, batch = 2 * FoldedIndex::most;
  static constexpr int none = 3 * FoldedIndex::most;
  int at[none + 1] = {};
};

// From a tile to the corner of its box: index d starts at step[d] times the tile of mode mode[d].
struct FoldedCorner {
  int mode[5];
  int step[5];

  TILE_FN int start(const FoldedTile& tile, int d) const { return tile.at[mode[d]] * step[d]; }
};

}  // namespace aisp::tile
