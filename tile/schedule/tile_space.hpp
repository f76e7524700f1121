// All output tiles of a batch of equal products, numbered in the order in which they are computed:
// what every schedule but the grouped one hands out.
#pragma once

#include "tile/schedule/launch_choice.hpp"
#include "tile/schedule/work.hpp"

namespace aisp::tile {

struct TileSpace {
  TileGrid grid{};
  int batch = 1;
  int k_blocks = 0;  // 0 is a sum of nothing: the tiles are visited and hold k_count 0
  Raster raster{};

  TILE_FN int count() const { return grid.count() * batch; }

  // The whole tile number `index`, one product of the batch after the other.
  TILE_FN WorkTile at(int index) const {
    const TileCoord tile = raster.at(index % grid.count(), grid);
    return {.m = tile.m, .n = tile.n, .batch = index / grid.count(), .k_count = k_blocks};
  }

  // k-blocks [first, end) of tile number `index`, as one of several slices.
  TILE_FN WorkTile slice_at(int index, int first, int end) const {
    WorkTile work = at(index);
    work.k_first = first;
    work.k_count = end - first;
    return work;
  }
};

// A schedule of such tiles: how it is told of them and of what was chosen at run time.
template <class S>
concept TileSpaceSchedule = TileSchedule<S> &&
    requires(const TileSpace& tiles, const LaunchChoice& choice) {
  { S::params(tiles, choice) } -> std::same_as<typename S::Params>;
};

}  // namespace aisp::tile
