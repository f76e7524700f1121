// Which blocks of keys the rows of a tile see, where a function says it: lists in memory, made by
// attention_block_mask, one for every tile of rows, and for every head or sequence only where they
// differ.
#pragma once

#include "tile/collective/attention/tile.hpp"

namespace aisp::tile {

// An entry is a block's number; above it one bit for each warpgroup whose 64 rows see all of it.
inline constexpr int entry_block_bits = 24;
TILE_FN int block_of(unsigned entry) {
  return static_cast<int>(entry & ((1u << entry_block_bits) - 1));
}
TILE_FN bool sees_all(unsigned entry, int warpgroup) {
  return (entry >> (entry_block_bits + warpgroup) & 1u) != 0;
}

struct AttentionLists {
  unsigned* entries;  // (lists, stride), ascending
  int* counts;        // (lists): how many of them there are
  int* order;         // (lists): their numbers, longest first
  unsigned* done;     // one number, 0 before and after attention_block_mask
  int stride;
  int row_tiles, heads, sequences;  // that have lists of their own: heads and sequences, or 1

  TILE_FN int count() const { return row_tiles * heads * sequences; }
  TILE_FN int list_of(AttentionTileCoord at) const {
    return ((sequences > 1 ? at.sequence : 0) * heads + (heads > 1 ? at.head : 0)) * row_tiles +
           at.row_tile;
  }
};

// The arguments of the kernel that makes them, and the threads of its blocks.
struct BlockMaskParams {
  AttentionSequences sequences;
  AttentionLists lists;
};

inline constexpr int block_mask_threads = 1024;

}  // namespace aisp::tile
