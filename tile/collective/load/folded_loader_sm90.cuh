// The loading role of a contraction on Hopper: a GEMM whose rows, columns and sum are hierarchical
// modes of its tensors. Everything behind the loads is the GEMM's.
#pragma once

#include "tile/collective/load/folded_boxes.cuh"
#include "tile/collective/load/loader_sm90.cuh"

namespace aisp::tile {

template <Sm90Config config>
class Sm90Loader<config, FoldedMaps> {
 public:
  static_assert(config.a_tile().panels() <= 4 && config.b_tile().panels() <= 4);
  static_assert((config.a_major == Major::mn || config.a_tile().panels() == 1) &&
                    (config.b_major == Major::mn || config.b_tile().panels() == 1),
                "a k-block of a K-major operand is one panel");
  static_assert(config.cluster_n == 1, "blocks of a cluster share B");

  TILE_DEVICE Sm90Loader(Sm90Buffers<config>& buffers, const FoldedMaps& maps, ClusterCoord coord)
      : buffers_(buffers),
        maps_(maps),
        ring_(buffers.ring, coord),
        a_(maps.a, 0, 0),
        b_(maps.b, coord.m, static_cast<std::uint16_t>((1u << config.cluster_m) - 1)) {}

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

 private:
  Sm90Buffers<config>& buffers_;
  const FoldedMaps& maps_;
  Sm90OperandRing<config> ring_;
  FoldedBoxes<config.a_tile(), 1> a_;
  FoldedBoxes<config.b_tile(), config.cluster_m> b_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
};

}  // namespace aisp::tile
