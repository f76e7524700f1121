// The loading role of the gradient of a filter: dw (k, (r, s, c)) is the sum over all pixels of dy
// (pixel, k) times what tap (r, s) sees of channel c there. Both operands are contiguous across
// the sum; B's columns come in panels of one tap's channels each.
#pragma once

#include "tile/collective/load/im2col_weights_maps.cuh"
#include "tile/collective/load/loader_sm90.cuh"

namespace aisp::tile {

template <Sm90Config config>
class Sm90Loader<config, Im2colWeightMaps> {
 public:
  static constexpr OperandTile b = config.b_tile();
  static_assert(config.a_major == Major::mn && config.b_major == Major::mn,
                "k and c are contiguous, pixels are not");
  static_assert(config.blocks() == 1);

  TILE_DEVICE Sm90Loader(Sm90Buffers<config>& buffers, const Im2colWeightMaps& maps,
                         ClusterCoord coord)
      : buffers_(buffers), maps_(maps), ring_(buffers.ring, coord) {}

  TILE_DEVICE void load(const BlockTile& tile) {
    const FilterColumns columns = maps_.columns;
    // Of each panel: its tap, and its first channel among those of all groups.
    arch::TapOffset offset[b.panels()];
    int channel[b.panels()];
    bool behind[b.panels()];
#pragma unroll
    for (int panel = 0; panel < b.panels(); ++panel) {
      const int column = tile.column + panel * b.panel_width(), tap = columns.tap_of(column);
      behind[panel] = tap >= columns.taps;
      offset[panel] = maps_.walk.offset_of(behind[panel] ? 0 : tap / columns.taps_across,
                                           behind[panel] ? 0 : tap % columns.taps_across);
      channel[panel] = columns.channel_of(column) + tile.batch * columns.channels;
    }
    int k = tile.k_first * config.tile_k;
    for (int left = tile.k_count; left > 0; --left, ++at_, k += config.tile_k) {
      arch::ImageCoord pixel = maps_.walk.coord_of(k);
      ring_.acquire(at_);
      auto* landed = ring_.commit(at_, config.stage_bytes());
      char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      load_operand<config.a_tile(), 1>(a_smem, &maps_.a, landed, tile.row, k, tile.batch, 0, 0);
#pragma unroll
      for (int panel = 0; panel < b.panels(); ++panel) {
        arch::ImageCoord from = pixel;
        from.channel = channel[panel];
        if (behind[panel]) from.image = maps_.images;  // there is none: zeros
        arch::tma_load_im2col(b_smem + line_start<b>(0, panel), &maps_.b, landed, from,
                              offset[panel]);
      }
    }
  }

 private:
  Sm90Buffers<config>& buffers_;
  const Im2colWeightMaps& maps_;
  Sm90OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
};

}  // namespace aisp::tile
