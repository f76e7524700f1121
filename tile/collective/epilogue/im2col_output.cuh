// Where the gradients of a convolution go: pixels of images, some of each row and of each column,
// and filters whose channels fill no whole panel.
#pragma once

#include "tile/collective/epilogue/fragment_memory.hpp"
#include "tile/collective/epilogue/tree.hpp"
#include "tile/collective/load/im2col_weights_maps.cuh"

namespace aisp::tile {

// One product of a batch: rows of its output are pixels of images, in the order of a PixelWalk.
struct PixelImages {
  CUtensorMap map;  // in im2col mode: as many pixels as a warp has rows
  Extent extent{};
  int height = 1, width = 1;  // of an image
};

struct PixelOutput {
  const PixelImages* products;  // in global memory

  TILE_DEVICE Extent enter(int batch) const {
    arch::acquire_tensor_map(&products[batch].map);
    return products[batch].extent;
  }
  template <class Config>
  TILE_DEVICE const CUtensorMap* map(int batch, const Config&, const OperandTile&) const {
    return &products[batch].map;
  }
  // From a row to its pixel.
  TILE_DEVICE PixelWalk depth(int batch) const {
    return {.height = {.outputs = products[batch].height},
            .width = {.outputs = products[batch].width}};
  }
};

// Filters (group, k, tap, channel), as the output's element or as f32.
struct FilterOutput {
  static constexpr bool places_fragments = true;
  void* data = nullptr;
  bool as_f32 = false;
  FilterColumns columns{};
  Extent extent{};  // k of a group; columns with those that fill up panels

  TILE_DEVICE Extent enter(int) const { return extent; }

  template <Element element, class V>
  TILE_DEVICE void put(const EpilogueFragment<V>& values, OutputCoord coord) const {
    const int tap = columns.tap_of(coord.column), channel = columns.channel_of(coord.column);
    if (tap >= columns.taps || channel >= columns.channels) return;  // a pair is within or not
    const int stride = columns.taps * columns.channels;
    const OutputCoord at{coord.row, tap * columns.channels + channel, coord.batch};
    const Extent dense{extent.rows, stride};
    const std::int64_t group = static_cast<std::int64_t>(extent.rows) * stride;
    if (as_f32)
      store_fragment<Element::f32>(data, stride, group, values, at, dense);
    else
      store_fragment<element>(data, stride, group, values, at, dense);
  }
};

}  // namespace aisp::tile
