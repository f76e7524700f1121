// The loading role of a convolution on Blackwell: as im2col_loader.cuh, of a pair each block with
// its own pixels and its half of the filter, which tiles of a cluster share.
#pragma once

#include "tile/collective/load/im2col_maps.cuh"
#include "tile/collective/load/loader_sm100.cuh"

namespace aisp::tile {

template <Sm100Config config>
class Sm100Loader<config, Im2colMaps> {
 public:
  static_assert(config.a_major == Major::k && config.a_tile().panels() == 1,
                "TMA brings a tile of pixels as one box: a k-block is one panel");
  static_assert(config.cluster_n == 1, "tiles of a cluster share the filter, not the pixels");

  TILE_DEVICE Sm100Loader(Sm100Buffers<config>& buffers, const Im2colMaps& maps, TileCluster at)
      : buffers_(buffers),
        maps_(maps),
        cluster_(at),
        ring_(buffers.ring, at),
        same_b_(Masks::same_b(at)) {}

  TILE_DEVICE void load(const BlockTile& tile) {
    const Im2colMaps& maps = maps_.product(tile.batch);
    if (tile.batch != entered_) maps_.enter(entered_ = tile.batch);
    const Im2colGather gather = maps.gather;
    arch::ImageCoord pixel = gather.walk.coord_of(tile.row + cluster_.half * config.block_m());
    const int column = tile.column + cluster_.half * config.block_n();
    auto tap = gather.tap_of(tile.k_first, config.tile_k);
    for (int left = tile.k_count; left > 0; --left, ++at_) {
      ring_.acquire(at_);
      auto* landed = ring_.commit(at_, config.stage_bytes());
      pixel.channel = tap.channel;
      char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      if constexpr (config.cta_group == 1)
        arch::tma_load_im2col(a_smem, &maps.a, landed, pixel, gather.offset_of(tap));
      else
        arch::tma_load_im2col_pair(a_smem, &maps.a, landed, pixel, gather.offset_of(tap));
      load_operand<config.b_tile(), config.cluster_m, config.cta_group>(
          b_smem, &maps.b, landed, column, tap.channel, gather.filter_tap(tap), cluster_.tile.m,
          same_b_);
      gather.advance(tap, config.tile_k);
    }
  }
  TILE_DEVICE void drain() {
    if constexpr (config.blocks() > 1)
      for (int slot = 0; slot < config.stages; ++slot, ++at_) ring_.acquire(at_);
  }

 private:
  using Masks = ClusterMasks<config.cta_group, config.cluster_m, config.cluster_n>;

  Sm100Buffers<config>& buffers_;
  const Im2colMaps& maps_;
  TileCluster cluster_;
  Sm100OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
  int entered_ = -1;
  std::uint16_t same_b_;  // ranks that hold this block's part of the filter
};

}  // namespace aisp::tile
