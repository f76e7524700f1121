// The loading role of a convolution. It is a matrix product whose A is never made: row m is an
// output pixel, column (r, s, c) what the filter's tap (r, s) sees of channel c there. TMA finds
// the pixels of a tile by itself; everything behind the loads is the product's.
#pragma once

#include "tile/arch/tma_im2col.cuh"
#include "tile/collective/load/loader_sm90.cuh"

namespace aisp::tile {

// The pixels at which a filter is laid, numbered row by row and image by image.
struct PixelWalk {
  // One direction of the images.
  struct Side {
    int outputs = 1;  // pixels of the output
    int stride = 1, padding = 0, dilation = 1;

    TILE_FN int first_tap_at(int output) const { return output * stride - padding; }
  };

  Side height{}, width{};
  int first_image = 0;

  // Behind the last pixel lie images that do not exist: what is read there are zeros.
  TILE_DEVICE arch::ImageCoord coord_of(int pixel) const {
    const int image_row = pixel / width.outputs, image = image_row / height.outputs;
    return {.column = width.first_tap_at(pixel % width.outputs),
            .row = height.first_tap_at(image_row % height.outputs),
            .image = first_image + image};
  }
  TILE_DEVICE arch::TapOffset offset_of(int tap_row, int tap_column) const {
    return {static_cast<std::uint16_t>(tap_column * width.dilation),
            static_cast<std::uint16_t>(tap_row * height.dilation)};
  }
};

// A k-block has some of one tap's channels; the last one of a tap is filled up with zeros, of A as
// of B, so that a k-block never mixes two taps.
struct Im2colGather {
  // Where the sum over k stands.
  struct Tap {
    int row = 0, column = 0;
    int channel = 0;
  };

  PixelWalk walk{};
  int taps_across = 1, channels = 0;
  // Which of the filter's taps the first one is, and how many lie between two of a row, of a
  // column: a gradient takes some of them, the last one first.
  int first_tap = 0, next_column = 1, next_row = 1;

  TILE_DEVICE Tap tap_of(int k_block, int tile_k) const {
    const int of_tap = (channels + tile_k - 1) / tile_k, number = k_block / of_tap;
    return {number / taps_across, number % taps_across, k_block % of_tap * tile_k};
  }
  TILE_DEVICE void advance(Tap& tap, int tile_k) const {
    tap.channel += tile_k;
    if (tap.channel < channels) return;
    tap.channel = 0;
    if (++tap.column < taps_across) return;
    tap.column = 0;
    ++tap.row;
  }
  TILE_DEVICE arch::TapOffset offset_of(const Tap& tap) const {
    return walk.offset_of(tap.row, tap.column);
  }
  TILE_DEVICE int filter_tap(const Tap& tap) const {
    return first_tap + tap.row * next_row + tap.column * next_column;
  }
};

struct Im2colMaps {
  CUtensorMap a;  // the images, in im2col mode
  CUtensorMap b;  // the filter as (tap, k, c)
  Im2colGather gather{};
  // Of a batch: what each product of it has of the above, in global memory. A group of channels has
  // its own maps, which end where its channels do.
  const Im2colMaps* of_batch = nullptr;

  TILE_DEVICE void prefetch() const {
    if (of_batch) return;
    arch::prefetch_tensor_map(&a);
    arch::prefetch_tensor_map(&b);
  }
  TILE_DEVICE const Im2colMaps& product(int batch) const {
    return of_batch ? of_batch[batch] : *this;
  }
  // The host wrote them by ordinary copies; TMA reads them through its own cache.
  TILE_DEVICE void enter(int batch) const {
    if (!of_batch) return;
    arch::acquire_tensor_map(&of_batch[batch].a);
    arch::acquire_tensor_map(&of_batch[batch].b);
  }
};

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
