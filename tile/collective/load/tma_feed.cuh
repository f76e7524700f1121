// A feed of the multistage main loop: one thread asks TMA for whole tiles, the others compute no
// address and hold nothing of a tile in registers. TMA's swizzle is the one that the fragments are
// read with.
#pragma once

#include "tile/collective/load/fed_tiles.hpp"
#include "tile/collective/load/loader_sm90.cuh"
#include "tile/pipeline/tma_block_ring.cuh"

namespace aisp::tile {

// An operand's tiles, one k-block after the other, as TiledCopy; what lies outside the matrix
// becomes zeros.
template <OperandTile tile>
class TmaTileCopy {
 public:
  TILE_DEVICE TmaTileCopy(const CUtensorMap& map, int row, int batch, int k)
      : map_(&map), row_(row), batch_(batch), k_(k) {}

  // The next k-block to `to`, by one thread.
  TILE_DEVICE void copy(char* to, arch::MBarrier* landed) {
    load_operand<tile, 1>(to, map_, landed, row_, k_, batch_, 0, 0);
    k_ += tile.k;
  }

 private:
  const CUtensorMap* map_;
  int row_, batch_, k_;
};

template <FedTiles tiles>
class TmaFeed {
 public:
  using Operand = CUtensorMap;
  using ACopy = TmaTileCopy<tiles.a>;
  using BCopy = TmaTileCopy<tiles.b>;
  using Ring = TmaBlockRing<tiles.stages>;
  struct Shared {
    OperandStages<tiles> stages;
    typename Ring::Barriers barriers;
  };

  TILE_DEVICE explicit TmaFeed(Shared& shared) : stages_(shared.stages), ring_(shared.barriers) {}
  TILE_DEVICE const OperandStages<tiles>& stages() const { return stages_; }

  TILE_DEVICE void fill(ACopy& a, BCopy& b) {
    const int slot = ring_.acquire();
    if (threadIdx.x == 0) {
      auto* landed = ring_.expect(tiles.a.bytes() + tiles.b.bytes());
      a.copy(stages_.a[slot], landed);  // (BLK_M, BLK_K)
      b.copy(stages_.b[slot], landed);  // (BLK_N, BLK_K)
    }
    ring_.commit();
  }
  TILE_DEVICE int wait() const { return ring_.wait(); }
  TILE_DEVICE void release() { ring_.release(); }
  TILE_DEVICE void drain() { ring_.drain(); }

 private:
  OperandStages<tiles>& stages_;
  Ring ring_;
};

}  // namespace aisp::tile
