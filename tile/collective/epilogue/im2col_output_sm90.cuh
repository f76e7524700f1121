// Where the gradients of a convolution go: pixels of images, some of each row and of each column,
// and filters whose channels fill no whole panel.
#pragma once

#include "tile/collective/epilogue/epilogue_sm90.cuh"
#include "tile/collective/load/im2col_weights_loader_sm90.cuh"

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

template <Sm90Config config>
class PixelStaging : public Staging<config> {
 public:
  static_assert(config.out_major == Major::k && config.tile_n % config.widest_subtile() == 0,
                "subtiles of one width, a warp's own 16 rows each");
  using Staging<config>::Staging;

  template <OperandTile subtile>
  TILE_DEVICE void send(const char* stage, const CUtensorMap* map, OutputCoord corner,
                        const PixelWalk& images) {
    static_assert(subtile.panels() == 1);
    arch::fence_async_shared();
    const int row = corner.row + arch::warp_uniform(warp_row());
    __syncwarp();
    if (!arch::elect_one()) return;
    arch::ImageCoord first = images.coord_of(row);
    first.channel = corner.column;
    arch::tma_store_im2col(map, stage, first);
    arch::bulk_commit();
  }
};

template <Sm90Config config>
struct StagingFor<config, PixelOutput> {
  using Type = PixelStaging<config>;
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
