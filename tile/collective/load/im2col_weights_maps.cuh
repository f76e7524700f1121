// The operands of the gradient of a filter as a GEMM: its columns, and the tensor maps.
#pragma once

#include "tile/collective/load/im2col_maps.cuh"

namespace aisp::tile {

// Columns of the product in the order (tap, channel), the last panel of each tap filled up.
struct FilterColumns {
  int taps = 1, taps_across = 1;
  int channels = 0;  // of one group
  int panel = 64;    // columns that have one tap

  TILE_FN int panels_of_tap() const { return (channels + panel - 1) / panel; }
  TILE_FN int tap_of(int column) const { return column / panel / panels_of_tap(); }
  TILE_FN int channel_of(int column) const {
    return column / panel % panels_of_tap() * panel + column % panel;
  }
};

struct Im2colWeightMaps {
  CUtensorMap a;  // dy as (group, pixel, k)
  CUtensorMap b;  // the images with all groups' channels, in im2col mode
  PixelWalk walk{};
  FilterColumns columns{};
  int images = 0;

  TILE_DEVICE void prefetch() const {
    arch::prefetch_tensor_map(&a);
    arch::prefetch_tensor_map(&b);
  }
};

}  // namespace aisp::tile
