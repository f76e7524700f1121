// A user's functions of scores, between the two products: what a score becomes and which keys a
// query sees. They are a type that a recipe names; without one the kernel has no trace of them.
//
// Functions has constants `modifies`, `masks` and `polynomials` (of eight exponentials, those that
// are to leave the special-function unit to the functions), types Tile, Row and Key for what
// depends on the tile, a query or a key alone, Fetched for what of a key comes out of memory, and
//   Tile tile(const AttentionPlace&)                  once a tile
//   Row row(const Tile&, int row)                     for each of a thread's two rows, once a tile
//   Fetched fetch(const Tile&, int key)               what one lane reads for a whole warp
//   Fetched from(const Fetched&, int lane)            ... and hands to the others
//   Key key(const Tile&, int first, int column, const Fetched&)   first + column; a constant
//   float score(float product, const Tile&, const Row&, const Key&)
//   bool mask(const Tile&, const Row&, const Key&)    true: the query sees the key
//   float scale(const Tile&)                          of what score() gives, with log2 e
#pragma once

#include "tile/arch/target.cuh"
#include "tile/atom/wgmma.hpp"
#include "tile/collective/attention/config_sm90.hpp"
#include "tile/collective/attention/lists.hpp"

namespace aisp::tile {

struct NoFunctions {};

// Which rows and keys a tile is about.
struct AttentionPlace {
  int sequence, head;
  int queries, keys;           // of the sequence
  int query_start, key_start;  // where a packed sequence starts, else 0
  int first_row;               // of the tile
};

TILE_DEVICE AttentionPlace place_of(const AttentionTile& tile) {
  return {.sequence = tile.sequence,
          .head = tile.head,
          .queries = tile.queries,
          .keys = tile.keys,
          .query_start = tile.query_start,
          .key_start = tile.key_start,
          .first_row = tile.first_row};
}

// A thread's functions: every four scores are two neighbours of its upper row and two of its lower.
template <Sm90AttentionConfig config, class Functions>
class ScoreHook {
 public:
  TILE_DEVICE explicit ScoreHook(const Functions& functions) : functions_(functions) {}

  // `row` is the thread's upper one in the tile.
  TILE_DEVICE void enter(const AttentionTile& tile, int row) {
    tile_ = functions_.tile(place_of(tile));
#pragma unroll
    for (int low_row = 0; low_row < 2; ++low_row)
      rows_[low_row] = functions_.row(tile_, tile.first_row + row + 8 * low_row);
    keys_ = tile.keys;
  }

  // `first` is the block's first key. Scores that a mask hides become minus infinity. By all lanes
  // of a warp.
  TILE_DEVICE void score(float (&scores)[config.block_keys / 2], int first) const {
    if constexpr (Functions::modifies) each<false>(scores, first);
  }
  TILE_DEVICE void score_and_mask(float (&scores)[config.block_keys / 2], int first) const {
    each<true>(scores, first);
  }
  TILE_DEVICE float scale() const { return functions_.scale(tile_); }

 private:
  template <bool masked>
  TILE_DEVICE void each(float (&scores)[config.block_keys / 2], int block_first) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int own = wgmma_warp_accumulator(lane, 0).column;  // the thread's first one of the block
    const int first = block_first + own, last = keys_ - first;
    // All warps of a block need the same from memory, and each thread a quarter of it: a lane reads
    // every 32nd key, so that few reads are waited for, together.
    typename Functions::Fetched fetched[config.block_keys / 32];
#pragma unroll
    for (int i = 0; i < config.block_keys / 32; ++i)
      fetched[i] = functions_.fetch(tile_, block_first + 32 * i + lane);
#pragma unroll
    for (int i = 0; i < config.block_keys / 2; i += 4)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int column = 2 * i + j;
        const auto key = functions_.key(tile_, first, column,
                                        functions_.from(fetched[column / 32], column % 32 + own));
#pragma unroll
        for (int low_row = 0; low_row < 2; ++low_row) {
          float& score = scores[i + 2 * low_row + j];
          if constexpr (Functions::modifies)
            score = functions_.score(score, tile_, rows_[low_row], key);
          if constexpr (masked)
            if (column >= last || !functions_.mask(tile_, rows_[low_row], key)) score = -INFINITY;
        }
      }
  }

  const Functions& functions_;
  typename Functions::Tile tile_;
  typename Functions::Row rows_[2];
  int keys_;
};

template <Sm90AttentionConfig config>
class ScoreHook<config, NoFunctions> {
 public:
  TILE_DEVICE explicit ScoreHook(const NoFunctions&) {}
};

}  // namespace aisp::tile
