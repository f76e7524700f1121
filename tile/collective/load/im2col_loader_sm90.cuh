// The loading role of a convolution. It is a matrix product whose A is never made: row m is an
// output pixel, column (r, s, c) what the filter's tap (r, s) sees of channel c there. TMA finds
// the pixels of a tile by itself; everything behind the loads is the product's.
#pragma once

#include "tile/collective/load/im2col_maps.cuh"
#include "tile/collective/load/loader_sm90.cuh"

namespace aisp::tile {

template <Sm90Config config>
class Sm90Loader<config, Im2colMaps> {
 public:
  static_assert(config.a_major == Major::k && config.a_tile().panels() == 1,
                "TMA brings a tile of pixels as one box: a k-block is one panel");
  static_assert(config.cluster_n == 1, "blocks of a cluster share the filter, not the pixels");

  TILE_DEVICE Sm90Loader(Sm90Buffers<config>& buffers, const Im2colMaps& maps, ClusterCoord coord)
      : buffers_(buffers), maps_(maps), coord_(coord), ring_(buffers.ring, coord) {}

  TILE_DEVICE void load(const BlockTile& tile) {
    constexpr std::uint16_t all_blocks = (1u << config.cluster_m) - 1;
    if (tile.batch != entered_) maps_.enter(entered_ = tile.batch);
    const Im2colMaps& maps = maps_.product(tile.batch);
    const Im2colGather gather = maps.gather;
    arch::ImageCoord pixel = gather.walk.coord_of(tile.row);
    auto tap = gather.tap_of(tile.k_first, config.tile_k);
    for (int left = tile.k_count; left > 0; --left, ++at_) {
      ring_.acquire(at_);
      auto* landed = ring_.commit(at_, config.stage_bytes());
      pixel.channel = tap.channel;
      char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      arch::tma_load_im2col(a_smem, &maps.a, landed, pixel, gather.offset_of(tap));
      load_operand<config.b_tile(), config.cluster_m>(b_smem, &maps.b, landed, tile.column,
                                                      tap.channel, gather.filter_tap(tap), coord_.m,
                                                      all_blocks);
      gather.advance(tap, config.tile_k);
    }
  }

 private:
  Sm90Buffers<config>& buffers_;
  const Im2colMaps& maps_;
  ClusterCoord coord_;
  Sm90OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
  int entered_ = -1;
};

}  // namespace aisp::tile
