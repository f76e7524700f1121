// The loading role of a convolution on Blackwell: pixels by TMA's im2col mode, as on Hopper.
#pragma once

#include "tile/collective/load/im2col_loader.cuh"
#include "tile/collective/load/umma_loader.cuh"

namespace aisp::tile {

template <UmmaConfig config>
class UmmaLoader<config, Im2colMaps> {
 public:
  static_assert(config.a_major == Major::k && config.a_tile().panels() == 1,
                "TMA brings a tile of pixels as one box: a k-block is one panel");
  static_assert(config.cta_group == 1 && config.cluster_n == 1,
                "one block computes a tile; blocks of a cluster share the filter, not the pixels");

  TILE_DEVICE UmmaLoader(UmmaBuffers<config>& buffers, const Im2colMaps& maps, TileCluster at)
      : buffers_(buffers),
        maps_(maps),
        ring_(buffers.ring, at),
        part_(at.tile.m),
        same_b_(ClusterMasks<1, config.cluster_m, 1>::same_b(at)) {}

  TILE_DEVICE void load(const BlockTile& tile) {
    arch::ImageCoord pixel = maps_.coord_of(tile.row);
    auto tap = maps_.tap_of(tile.k_first, config.tile_k);
    for (int left = tile.k_count; left > 0; --left, ++at_) {
      ring_.acquire(at_);
      auto* landed = ring_.commit(at_, config.stage_bytes());
      pixel.channel = tap.channel;
      char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      arch::tma_load_im2col(a_smem, &maps_.a, landed, pixel, maps_.offset_of(tap));
      load_operand<config.b_tile(), config.cluster_m>(b_smem, &maps_.b, landed, tile.column,
                                                      tap.channel, tap.number, part_, same_b_);
      maps_.advance(tap, config.tile_k);
    }
  }

 private:
  UmmaBuffers<config>& buffers_;
  const Im2colMaps& maps_;
  UmmaOperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
  int part_;  // of the filter's tile, that this block brings for all
  std::uint16_t same_b_;
};

}  // namespace aisp::tile
