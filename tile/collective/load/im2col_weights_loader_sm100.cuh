// The loading role of the gradient of a filter on Blackwell: as im2col_weights_loader.cuh, of a
// pair each block with its own rows of dw and its half of the columns.
#pragma once

#include "tile/collective/load/im2col_weights_maps.cuh"
#include "tile/collective/load/loader_sm100.cuh"

namespace aisp::tile {

template <Sm100Config config>
class Sm100Loader<config, Im2colWeightMaps> {
 public:
  static constexpr OperandTile b = config.b_tile();
  static_assert(config.a_major == Major::mn && config.b_major == Major::mn,
                "k and c are contiguous, pixels are not");
  static_assert(config.cluster_m == 1 && config.cluster_n == 1,
                "tiles share neither dy nor the images");

  TILE_DEVICE Sm100Loader(Sm100Buffers<config>& buffers, const Im2colWeightMaps& maps,
                          TileCluster at)
      : buffers_(buffers), maps_(maps), half_(at.half), ring_(buffers.ring, at) {}

  TILE_DEVICE void load(const BlockTile& tile) {
    const int row = tile.row + half_ * config.block_m();
    const int column = tile.column + half_ * config.block_n();
    const FilterColumns columns = maps_.columns;
    Panel panels[b.panels()];
#pragma unroll
    for (int i = 0; i < b.panels(); ++i)
      panels[i] = panel_at(columns, column + i * b.panel_width(), tile.batch);
    int k = tile.k_first * config.tile_k;
    for (int left = tile.k_count; left > 0; --left, ++at_, k += config.tile_k) {
      const arch::ImageCoord pixel = maps_.walk.coord_of(k);
      ring_.acquire(at_);
      auto* landed = ring_.commit(at_, config.stage_bytes());
      char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      load_operand<config.a_tile(), 1, config.cta_group>(a_smem, &maps_.a, landed, row, k,
                                                         tile.batch, 0, 0);
#pragma unroll
      for (int i = 0; i < b.panels(); ++i) {
        char* const to = b_smem + line_start<b>(0, i);
        arch::ImageCoord from = pixel;
        from.channel = panels[i].channel;
        if (panels[i].behind) from.image = maps_.images;  // there is none: zeros
        if constexpr (config.cta_group == 1)
          arch::tma_load_im2col(to, &maps_.b, landed, from, panels[i].offset);
        else
          arch::tma_load_im2col_pair(to, &maps_.b, landed, from, panels[i].offset);
      }
    }
  }
  TILE_DEVICE void drain() {
    if constexpr (config.blocks() > 1)
      for (int slot = 0; slot < config.stages; ++slot, ++at_) ring_.acquire(at_);
  }

 private:
  // Columns of one tap, and the first of their channels among those of all groups.
  struct Panel {
    arch::TapOffset offset{};
    int channel = 0;
    bool behind = false;  // the last tap
  };
  TILE_DEVICE Panel panel_at(const FilterColumns& columns, int column, int group) const {
    const int tap = columns.tap_of(column);
    const bool behind = tap >= columns.taps;
    return {maps_.walk.offset_of(behind ? 0 : tap / columns.taps_across,
                                 behind ? 0 : tap % columns.taps_across),
            columns.channel_of(column) + group * columns.channels, behind};
  }

  Sm100Buffers<config>& buffers_;
  const Im2colWeightMaps& maps_;
  int half_;  // of the pair
  Sm100OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
};

}  // namespace aisp::tile
