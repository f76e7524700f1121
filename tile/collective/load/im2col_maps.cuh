// The operands of a convolution as a GEMM, on every architecture: which pixels and taps a tile has,
// and their tensor maps.
#pragma once

#include "tile/arch/tma_im2col.cuh"
#include "tile/collective/load/operand_maps.cuh"

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

}  // namespace aisp::tile
