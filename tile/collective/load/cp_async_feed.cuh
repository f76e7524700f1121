// A feed of the multistage main loop: all threads of the block copy its tiles by cp.async.
#pragma once

#include "tile/collective/load/fed_tiles.hpp"
#include "tile/pipeline/cp_async_ring.cuh"
#include "tile/tiled/tiled_copy.cuh"

namespace aisp::tile {

// A feed fills the next slot, waits for the one to read, releases it and, after the last k-block,
// drains: no copy is then under way.
template <FedTiles tiles>
class CpAsyncFeed {
 public:
  using Operand = OperandMatrix;
  using ACopy = TiledCopy<tiles.a, tiles.threads>;
  using BCopy = TiledCopy<tiles.b, tiles.threads>;
  using Shared = OperandStages<tiles>;

  TILE_DEVICE explicit CpAsyncFeed(Shared& shared) : shared_(shared) {}
  TILE_DEVICE const Shared& stages() const { return shared_; }

  TILE_DEVICE void fill(ACopy& a, BCopy& b) {
    const int slot = ring_.acquire();
    a.copy(shared_.a[slot]);  // (BLK_M, BLK_K)
    b.copy(shared_.b[slot]);  // (BLK_N, BLK_K)
    ring_.commit();
  }
  TILE_DEVICE int wait() const { return ring_.wait(); }
  TILE_DEVICE void release() { ring_.release(); }
  TILE_DEVICE void drain() {
    ring_.drain();
    ring_ = {};
  }

 private:
  Shared& shared_;
  CpAsyncRing<tiles.stages> ring_;
};

}  // namespace aisp::tile
