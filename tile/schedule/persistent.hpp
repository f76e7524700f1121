// As many workers as fit stride over the tiles, so that a worker's set-up is paid once and the
// loads of a tile can start under the epilogue of the one before.
#pragma once

#include "tile/schedule/tile_space.hpp"

namespace tile {

class Persistent {
 public:
  using Params = TileSpace;

  TILE_FN Persistent(const Params& params, int worker, int workers)
      : tiles_(params), tile_(worker), step_(workers) {}

  TILE_FN bool next(WorkTile& work) {
    if (tile_ >= tiles_.count()) return false;
    work = tiles_.at(tile_);
    tile_ += step_;
    return true;
  }

  static TILE_FN int workers(const Params& params, int fit) {
    return params.count() < fit ? params.count() : fit;
  }
  static TILE_FN int slots(const Params&, int) { return 0; }

 private:
  Params tiles_;
  int tile_, step_;
};

static_assert(TileSchedule<Persistent>);

}  // namespace tile
