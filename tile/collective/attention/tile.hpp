// What one block computes next, and which keys its rows see. All roles work it out for themselves
// from a tile's number.
#pragma once

#include <cstdint>

#include "tile/layout/target.hpp"

namespace aisp::tile {

TILE_FN int smaller(int a, int b) { return a < b ? a : b; }
TILE_FN int larger(int a, int b) { return a > b ? a : b; }

// The sequences as the kernel sees them; pointers into device memory may be null.
struct AttentionSequences {
  int query_rows, kv_rows;  // of a sequence where the arrays do not say otherwise
  int heads_per_kv_head;
  int window_left, window_right;  // far outside of every sequence where there is no bound
  const std::int32_t* query_starts;
  const std::int32_t* kv_starts;
  const std::int32_t* kv_lengths;

  TILE_FN bool packed() const { return query_starts != nullptr; }
  // Beside a sequence's keys there may be others' rows, or anything at all.
  TILE_FN bool others_rows() const { return kv_starts != nullptr || kv_lengths != nullptr; }
};

// Which of the tiles of all heads and sequences.
struct AttentionTileCoord {
  int row_tile, head, sequence;
};

// Blocks of keys, by number; none: first > last.
struct KeyBlocks {
  int first = 0, last = -1;
  TILE_FN bool any() const { return first <= last; }
  TILE_FN bool has(int block) const { return first <= block && block <= last; }
};

struct AttentionTile {
  int head, kv_head, sequence;
  int first_row;               // of the block, in its sequence
  int queries, keys;           // of the sequence
  int query_start, key_start;  // where a packed sequence starts, else 0
  int first_block, blocks;     // blocks of keys that some row sees; 0: none
  int low, high;               // row i sees the keys i + low to i + high, as far as there are any

  // The first key that the tile's first row sees.
  TILE_FN int lowest() const { return larger(first_row + low, 0); }

  // The blocks of which some of `rows` rows from `row` of the tile on see a key.
  TILE_FN KeyBlocks blocks_seen(int row, int rows, int block_keys) const {
    const int first = first_row + row, last = smaller(first + rows, queries) - 1;
    const int lowest = larger(first + low, 0), highest = smaller(last + high, keys - 1);
    if (first > last || highest < lowest) return {};
    return {lowest / block_keys, highest / block_keys};
  }
  // ... and whether all of them see every key of a block.
  TILE_FN bool all_see(int row, int rows, int block, int block_keys) const {
    const int first = first_row + row, first_key = block * block_keys;
    return first + rows - 1 + low <= first_key &&
           smaller(first + high, keys - 1) >= first_key + block_keys - 1;
  }

  // The blocks, counted from first_block, of which 64 rows from `row` on see every key.
  TILE_FN int first_clear(int row, int block_keys) const {
    const int lowest = first_row + row + 63 + low;
    return lowest <= 0 ? 0 : (lowest + block_keys - 1) / block_keys - first_block;
  }
  TILE_FN int last_clear(int row, int block_keys) const {
    const int highest = first_row + row + high;
    return (smaller(highest, keys - 1) + 1) / block_keys - 1 - first_block;
  }
  // How many of the tile's blocks, from the first, 64 rows from `row` on may see; at least one, for
  // the sake of the loop, also of rows that are none.
  TILE_FN int blocks_of(int row, int block_keys) const {
    const int last = smaller(first_row + row + 63, queries - 1);
    if (first_row + row > last) return 1;
    return larger(smaller(last + high, keys - 1) / block_keys + 1 - first_block, 1);
  }
};

// False where the sequence is too short to have this tile. `plain`: all have the same lengths.
template <bool plain>
TILE_FN bool find_tile(const AttentionSequences& all, AttentionTileCoord coord, int block_rows,
                       int block_keys, AttentionTile& tile) {
  tile.head = coord.head;
  tile.kv_head = coord.head / all.heads_per_kv_head;
  tile.sequence = coord.sequence;
  tile.first_row = coord.row_tile * block_rows;
  tile.query_start = tile.key_start = 0;
  tile.queries = all.query_rows;
  tile.keys = all.kv_rows;
  if (!plain && all.packed()) {
    tile.query_start = all.query_starts[coord.sequence];
    tile.queries = all.query_starts[coord.sequence + 1] - tile.query_start;
  }
  if (!plain && all.kv_starts != nullptr) {
    tile.key_start = all.kv_starts[coord.sequence];
    tile.keys = all.kv_starts[coord.sequence + 1] - tile.key_start;
  } else if (!plain && all.kv_lengths != nullptr) {
    tile.keys = all.kv_lengths[coord.sequence];
  }
  if (tile.first_row >= tile.queries) return false;
  const int shift = tile.keys - tile.queries;
  tile.low = shift - all.window_left;
  tile.high = shift + all.window_right;
  const int last_row = smaller(tile.first_row + block_rows, tile.queries) - 1;
  const int lowest = tile.lowest();
  const int highest = smaller(last_row + tile.high, tile.keys - 1);
  tile.first_block = lowest / block_keys;
  tile.blocks = highest < lowest ? 0 : highest / block_keys + 1 - tile.first_block;
  return true;
}

}  // namespace aisp::tile
