// As many clusters as fit stride over the tiles, so that a cluster's set-up is paid once and the
// loads of a tile can start under the epilogue of the one before.
#pragma once

#include "tile/schedule/tile_space.hpp"

namespace aisp::tile {

class Persistent {
 public:
  using Params = TileSpace;
  static constexpr ScheduleKind kind = ScheduleKind::whole_tiles;
  static TILE_FN Params params(const TileSpace& tiles, const LaunchChoice&) { return tiles; }

  TILE_FN Persistent(const Params& params, int cluster, int clusters)
      : tiles_(params), tile_(cluster), step_(clusters) {}

  TILE_FN bool next(WorkTile& work) {
    if (tile_ >= tiles_.count()) return false;
    work = tiles_.at(tile_);
    tile_ += step_;
    return true;
  }

  static TILE_FN int clusters(const Params& params, int fit) {
    return params.count() < fit ? params.count() : fit;
  }
  static TILE_FN int slots(const Params&, int) { return 0; }

 private:
  Params tiles_;
  int tile_, step_;
};

static_assert(TileSpaceSchedule<Persistent>);

}  // namespace aisp::tile
