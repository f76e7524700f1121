// Which output tile comes when. Plain functions of an index, so that a CPU test can visit a whole
// grid and count.
#pragma once

#include "tile/layout/target.hpp"

namespace tile {

struct TileCoord {
  int m = 0, n = 0;
  constexpr bool operator==(const TileCoord&) const = default;
};

struct TileGrid {
  int m = 1, n = 1;  // tiles in each direction
  TILE_FN int count() const { return m * n; }
};

// Row by row within groups of `group` rows, columns outermost in a group: tiles that run at the
// same time share rows of A and columns of B, so that L2 serves them.
TILE_FN TileCoord grouped_order(int index, TileGrid grid, int group) {
  const int in_group = group * grid.n;
  const int first_row = index / in_group * group;
  const int rows = grid.m - first_row < group ? grid.m - first_row : group;
  const int rest = index % in_group;
  return {first_row + rest % rows, rest / rows};
}

}  // namespace tile
