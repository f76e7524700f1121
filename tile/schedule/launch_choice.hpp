// What of a schedule is decided at run time.
#pragma once

#include "tile/schedule/tile_order.hpp"

namespace aisp::tile {

struct LaunchChoice {
  Raster raster{.along = Raster::Along::m, .group = 8};
  int splits = 1;  // split-K slices of a tile, where the schedule has them
};

}  // namespace aisp::tile
