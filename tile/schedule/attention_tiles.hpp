// The tiles of attention in the order in which blocks take them.
#pragma once

#include "tile/collective/attention/tile.hpp"

namespace aisp::tile {

// Heads of all sequences go through the chip `group` at a time, so that their keys and values stay
// in L2 while the tiles of the group's rows use them. Under a causal mask the last rows see the
// most keys: they come first, and short tiles fill the gaps at the end.
struct AttentionTiles {
  int row_tiles, heads, sequences;
  int group;
  bool last_rows_first;

  TILE_FN int count() const { return row_tiles * heads * sequences; }

  TILE_FN AttentionTileCoord at(int number) const {
    const int all_heads = heads * sequences;
    const int first = number / (row_tiles * group) * group;
    const int in_group = number - first * row_tiles;
    const int width = smaller(group, all_heads - first);
    const int row_tile = in_group / width, head = first + in_group % width;
    return {last_rows_first ? row_tiles - 1 - row_tile : row_tile, head % heads, head / heads};
  }
};

}  // namespace aisp::tile
