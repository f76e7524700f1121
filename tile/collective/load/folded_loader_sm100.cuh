// The loading role of a contraction on Blackwell: as folded_loader.cuh, each block for itself.
#pragma once

#include "tile/collective/load/folded_boxes.cuh"
#include "tile/collective/load/loader_sm100.cuh"

namespace aisp::tile {

template <Sm100Config config>
class Sm100Loader<config, FoldedMaps> {
 public:
  static_assert(config.a_tile().panels() <= 4 && config.b_tile().panels() <= 4);
  static_assert((config.a_major == Major::mn || config.a_tile().panels() == 1) &&
                    (config.b_major == Major::mn || config.b_tile().panels() == 1),
                "a k-block of a K-major operand is one panel");
  static_assert(config.blocks() == 1, "a block loads its tile alone");

  TILE_DEVICE Sm100Loader(Sm100Buffers<config>& buffers, const FoldedMaps& maps, TileCluster at)
      : buffers_(buffers),
        maps_(maps),
        ring_(buffers.ring, at),
        a_(maps.a, 0, 0),
        b_(maps.b, 0, 0) {}

  TILE_DEVICE void load(const BlockTile& tile) {
    a_.enter(maps_, maps_.rows, tile.row / config.tile_m, tile.batch, tile.k_first);
    b_.enter(maps_, maps_.columns, tile.column / config.tile_n, tile.batch, tile.k_first);
    FoldedWalk walk(maps_.sum, tile.k_first);
    for (int left = tile.k_count; left > 0; --left, ++at_) {
      ring_.acquire(at_);
      auto* landed = ring_.commit(at_, config.stage_bytes());
      a_.load(buffers_.a[at_.slot], landed);  // (BLK_M, BLK_K)
      b_.load(buffers_.b[at_.slot], landed);  // (BLK_N, BLK_K)
      const int moved = walk.next();
      a_.advance(moved);
      b_.advance(moved);
    }
  }
  TILE_DEVICE void drain() {}  // no other block signals this one's barriers

 private:
  Sm100Buffers<config>& buffers_;
  const FoldedMaps& maps_;
  Sm100OperandRing<config> ring_;
  FoldedBoxes<config.a_tile(), 1> a_;
  FoldedBoxes<config.b_tile(), 1> b_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
};

}  // namespace aisp::tile
