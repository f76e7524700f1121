// Where the tiles of a product lie whose rows, columns and sum are hierarchical modes: which tile
// of each mode, and from there where its box starts in a tensor of up to five indices. A loading
// thread has some hundred cycles for a k-block: it adds numbers of tables, and divides once per
// tile where a side has several modes.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile {

// Tiles of one side of the product: of its rows, its columns, its sum, or the products of a batch.
struct FoldedIndex {
  static constexpr int most = 4;
  int modes = 1;
  int count[most] = {1, 1, 1, 1};  // tiles along each mode, the fastest first

  // Calls with(mode, tile of the mode) where that is not 0. What lies behind the last tile is
  // outside of the last mode.
  template <class With>
  TILE_FN void each(int tile, const With& with) const {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < most; ++i) {
      if (i + 1 >= modes) {
        if (i < modes) with(i, tile);
        return;
      }
      if (count[i] == 1) continue;
      with(i, tile % count[i]);
      tile /= count[i];
    }
  }
};

// How far a box moves along each index of its tensor with the tiles of each mode.
struct FoldedSteps {
  int of[FoldedIndex::most][5] = {};

  TILE_FN void move(int (&corner)[5], const FoldedIndex& index, int tile) const {
    index.each(tile, [&](int mode, int at) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
      for (int d = 0; d < 5; ++d) corner[d] += at * of[mode][d];
    });
  }
  // From tile to tile of an index: the step of the mode that moves on, less those of the modes that
  // start again.
  TILE_FN FoldedSteps advances(const FoldedIndex& index) const {
    FoldedSteps made = *this;
    for (int i = 0; i < index.modes; ++i)
      for (int faster = 0; faster < i; ++faster)
        for (int d = 0; d < 5; ++d) made.of[i][d] -= (index.count[faster] - 1) * of[faster][d];
    return made;
  }
};

// The tiles of an index one after another, by counters.
class FoldedWalk {
 public:
  TILE_FN FoldedWalk(const FoldedIndex& index, int tile) : index_(index) {
    if (tile > 0) index.each(tile, [this](int mode, int at) { at_[mode] = at; });
  }
  // To the next tile: the mode that moves on. Faster ones start again.
  TILE_FN int next() {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < FoldedIndex::most; ++i) {
      if (i + 1 >= index_.modes || ++at_[i] < index_.count[i]) return i;
      at_[i] = 0;
    }
    return 0;
  }

 private:
  const FoldedIndex& index_;
  int at_[FoldedIndex::most] = {};
};

}  // namespace aisp::tile
