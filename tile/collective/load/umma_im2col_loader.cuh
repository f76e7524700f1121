// The loading role of a convolution on Blackwell: as im2col_loader.cuh, of a pair each block with
// its own pixels and its half of the filter.
#pragma once

#include "tile/collective/load/im2col_loader.cuh"
#include "tile/collective/load/umma_loader.cuh"

namespace aisp::tile {

template <UmmaConfig config>
class UmmaLoader<config, Im2colMaps> {
 public:
  static_assert(config.a_major == Major::k && config.a_tile().panels() == 1,
                "TMA brings a tile of pixels as one box: a k-block is one panel");
  static_assert(config.cluster_m == 1 && config.cluster_n == 1,
                "convolutions on Blackwell are computed by blocks or pairs without multicast");

  TILE_DEVICE UmmaLoader(UmmaBuffers<config>& buffers, const Im2colMaps& maps, TileCluster at)
      : buffers_(buffers), maps_(maps), half_(at.half), ring_(buffers.ring, at) {}

  TILE_DEVICE void load(const BlockTile& tile) {
    arch::ImageCoord pixel = maps_.coord_of(tile.row + half_ * config.block_m());
    const int column = tile.column + half_ * config.block_n();
    auto tap = maps_.tap_of(tile.k_first, config.tile_k);
    for (int left = tile.k_count; left > 0; --left, ++at_) {
      ring_.acquire(at_);
      auto* landed = ring_.commit(at_, config.stage_bytes());
      pixel.channel = tap.channel;
      char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      if constexpr (config.cta_group == 1) {
        arch::tma_load_im2col(a_smem, &maps_.a, landed, pixel, maps_.offset_of(tap));
        load_operand<config.b_tile(), 1>(b_smem, &maps_.b, landed, column, tap.channel, tap.number,
                                         0, 0);
      } else {
        arch::tma_load_im2col_pair(a_smem, &maps_.a, landed, pixel, maps_.offset_of(tap));
        load_pair_operand<config.b_tile(), 1>(b_smem, &maps_.b, landed, column, tap.channel,
                                              tap.number, 0, 0);
      }
      maps_.advance(tap, config.tile_k);
    }
  }
  TILE_DEVICE void drain() {
    if constexpr (config.blocks() > 1)
      for (int slot = 0; slot < config.stages; ++slot, ++at_) ring_.acquire(at_);
  }

 private:
  UmmaBuffers<config>& buffers_;
  const Im2colMaps& maps_;
  int half_;
  UmmaOperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
};

}  // namespace aisp::tile
