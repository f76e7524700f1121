// All output tiles of a batch of equal products, numbered in the order in which they are walked:
// what every schedule but the grouped one hands out.
#pragma once

#include "tile/schedule/tile_order.hpp"
#include "tile/schedule/work.hpp"

namespace tile {

struct TileSpace {
  TileGrid grid{};
  int batch = 1;
  int k_tiles = 0;  // 0 is a sum of nothing: the tiles are visited and hold k_count 0
  Raster raster{};

  TILE_FN int count() const { return grid.count() * batch; }

  // The whole tile number `index`, one product of the batch after the other.
  TILE_FN WorkTile at(int index) const {
    const TileCoord tile = raster.at(index % grid.count(), grid);
    return {.m = tile.m, .n = tile.n, .batch = index / grid.count(), .k_count = k_tiles};
  }

  // k tiles [first, end) of tile number `index`, as one of several shares.
  TILE_FN WorkTile share_at(int index, int first, int end) const {
    WorkTile work = at(index);
    work.k_first = first;
    work.k_count = end - first;
    return work;
  }
};

}  // namespace tile
