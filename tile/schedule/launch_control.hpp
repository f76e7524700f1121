// One cluster per tile, as SingleTile; but those that run take over the tiles of clusters that have
// not started, one after the other, by Blackwell's cluster launch control. Without it (on the host)
// a cluster ends after its own tile, which hands out the same tiles.
#pragma once

#include "tile/schedule/single.hpp"

namespace aisp::tile {

class LaunchControl : public SingleTile {
 public:
  using SingleTile::SingleTile;
  static constexpr bool takes_over = true;
};

static_assert(TileSpaceSchedule<LaunchControl>);

}  // namespace aisp::tile
