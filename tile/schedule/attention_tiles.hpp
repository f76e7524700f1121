// The tiles of attention in the order in which blocks take them.
#pragma once

#include "tile/collective/attention/lists.hpp"

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

// Where tiles have lists the longest come first. Rows whose list all heads share keep to the groups
// of heads; else each list's tile is followed by that of the next head that shares it.
TILE_FN AttentionTileCoord listed_tile(const AttentionLists& lists, const AttentionTiles& tiles,
                                       int number) {
  if (lists.heads == 1 && lists.sequences == 1) {
    AttentionTileCoord coord = tiles.at(number);
    coord.row_tile = lists.order[coord.row_tile];
    return coord;
  }
  const int sharing_heads = lists.heads > 1 ? 1 : tiles.heads;
  const int sharing = sharing_heads * (lists.sequences > 1 ? 1 : tiles.sequences);
  const int list = lists.order[number / sharing], other = number % sharing;
  const int head = list / lists.row_tiles % lists.heads;
  const int sequence = list / lists.row_tiles / lists.heads;
  return {list % lists.row_tiles, lists.heads > 1 ? head : other % sharing_heads,
          lists.sequences > 1 ? sequence : other / sharing_heads};
}

}  // namespace aisp::tile
