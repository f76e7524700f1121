// The loading role of a convolution. It is a matrix product whose A is never made: row m is an
// output pixel, column (r, s, c) what the filter's tap (r, s) sees of channel c there. TMA finds
// the pixels of a tile by itself; everything behind the loads is the product's.
#pragma once

#include "tile/arch/tma_im2col.cuh"
#include "tile/collective/load/tma_loader.cuh"

namespace aisp::tile {

// A k-block has some of one tap's channels; the last one of a tap is filled up with zeros, of A as
// of B, so that a k-block never mixes two taps.
struct Im2colMaps {
  // One direction of the images.
  struct Side {
    int outputs = 0;  // pixels of the output
    int stride = 1, padding = 0, dilation = 1;

    TILE_DEVICE int first_tap_at(int output) const { return output * stride - padding; }
  };
  // Where the sum over k stands.
  struct Tap {
    int number = 0;           // r * filter width + s
    int row = 0, column = 0;  // r, s
    int channel = 0;
  };

  CUtensorMap a;  // the images, in im2col mode
  CUtensorMap b;  // the filter as (tap, k, c)
  Side height{}, width{};
  int filter_width = 1, channels = 0;

  TILE_DEVICE void prefetch() const {
    arch::prefetch_tensor_map(&a);
    arch::prefetch_tensor_map(&b);
  }
  // Rows behind the last pixel lie in images that do not exist and become zeros.
  TILE_DEVICE arch::ImageCoord coord_of(int row) const {
    const int image_row = row / width.outputs, image = image_row / height.outputs;
    return {.column = width.first_tap_at(row % width.outputs),
            .row = height.first_tap_at(image_row % height.outputs),
            .image = image};
  }
  TILE_DEVICE Tap tap_of(int k_block, int tile_k) const {
    const int of_tap = (channels + tile_k - 1) / tile_k, number = k_block / of_tap;
    return {number, number / filter_width, number % filter_width, k_block % of_tap * tile_k};
  }
  TILE_DEVICE void advance(Tap& tap, int tile_k) const {
    tap.channel += tile_k;
    if (tap.channel < channels) return;
    tap.channel = 0;
    ++tap.number;
    if (++tap.column < filter_width) return;
    tap.column = 0;
    ++tap.row;
  }
  TILE_DEVICE arch::TapOffset offset_of(const Tap& tap) const {
    return {static_cast<std::uint16_t>(tap.column * width.dilation),
            static_cast<std::uint16_t>(tap.row * height.dilation)};
  }
};

template <GemmConfig config>
class TmaLoader<config, Im2colMaps> {
 public:
  static_assert(config.a_major == Major::k && config.a_tile().panels() == 1,
                "TMA brings a tile of pixels as one box: a k-block is one panel");
  static_assert(config.cluster_n == 1, "blocks of a cluster share the filter, not the pixels");

  TILE_DEVICE TmaLoader(OperandBuffers<config>& buffers, const Im2colMaps& maps, ClusterCoord coord)
      : buffers_(buffers), maps_(maps), coord_(coord), ring_(buffers.ring, coord) {}

  TILE_DEVICE void load(const BlockTile& tile) {
    constexpr std::uint16_t all_blocks = (1u << config.cluster_m) - 1;
    arch::ImageCoord pixel = maps_.coord_of(tile.row);
    auto tap = maps_.tap_of(tile.k_first, config.tile_k);
    for (int left = tile.k_count; left > 0; --left, ++at_) {
      ring_.acquire(at_);
      auto* landed = ring_.commit(at_, config.stage_bytes());
      pixel.channel = tap.channel;
      char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      arch::tma_load_im2col(a_smem, &maps_.a, landed, pixel, maps_.offset_of(tap));
      load_operand<config.b_tile(), config.cluster_m>(
          b_smem, &maps_.b, landed, tile.column, tap.channel, tap.number, coord_.m, all_blocks);
      maps_.advance(tap, config.tile_k);
    }
  }

 private:
  OperandBuffers<config>& buffers_;
  const Im2colMaps& maps_;
  ClusterCoord coord_;
  OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
};

}  // namespace aisp::tile
