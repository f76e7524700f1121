// One cluster per tile: as many are launched as there are tiles, more than fit at once, and the
// hardware starts the next where one ends.
#pragma once

#include "tile/schedule/tile_space.hpp"

namespace aisp::tile {

class SingleTile {
 public:
  using Params = TileSpace;
  static constexpr ScheduleKind kind = ScheduleKind::whole_tiles;
  static constexpr bool block_per_tile = true;
  static TILE_FN Params params(const TileSpace& tiles, const LaunchChoice&) { return tiles; }

  TILE_FN SingleTile(const Params& params, int cluster, int) : tiles_(params), tile_(cluster) {}

  TILE_FN bool next(WorkTile& work) {
    if (tile_ >= tiles_.count()) return false;
    work = tiles_.at(tile_);
    tile_ = tiles_.count();
    return true;
  }

  static TILE_FN int clusters(const Params& params, int) { return params.count(); }
  static TILE_FN int slots(const Params&, int) { return 0; }

 private:
  Params tiles_;
  int tile_;
};

static_assert(TileSpaceSchedule<SingleTile>);

}  // namespace aisp::tile
