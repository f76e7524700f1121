// Decoding reads all keys of all sequences once, and every block of the grid reads as many as any
// other: the tiles of all sequences and heads are numbered through, and a block has one of equal
// ranges of them. A range ends in the middle of a head more often than not; such a head has several
// segments, whose results are combined afterwards.
#pragma once

#include "tile/arch/math.cuh"
#include "tile/arch/warp.cuh"
#include "tile/collective/decode/params.hpp"

namespace aisp::tile {

// What all heads of a sequence have in common.
struct DecodeSequence {
  int query_start, queries;  // a start is where a packed sequence begins, else 0
  int key_start, keys;
  int low, high;              // query i sees the keys i + low to i + high
  int first_key;              // that any query sees
  int first_tile, last_tile;  // tiles to read, the last one exclusive: none where there is no key
  // Among all tiles. One where there is no key, because zeros are to be written.
  int tiles;
};

TILE_FN DecodeSequence find_sequence(const AttentionSequences& all, int sequence) {
  DecodeSequence found{};
  found.query_start = all.packed() ? all.query_starts[sequence] : 0;
  found.queries =
      all.packed() ? all.query_starts[sequence + 1] - found.query_start : all.query_rows;
  found.key_start = all.kv_starts ? all.kv_starts[sequence] : 0;
  const int keys = all.kv_starts    ? all.kv_starts[sequence + 1] - found.key_start
                   : all.kv_lengths ? all.kv_lengths[sequence]
                                    : all.kv_rows;
  found.keys = smaller(larger(keys, 0), all.kv_rows);
  const int shift = found.keys - found.queries;
  found.low = shift - all.window_left;
  found.high = shift + all.window_right;
  found.first_key = larger(found.low, 0);
  found.first_tile = found.first_key / decode_tile_keys;
  // The last query is beside the last key and sees it.
  found.last_tile =
      found.keys == 0 ? found.first_tile : (found.keys + decode_tile_keys - 1) / decode_tile_keys;
  found.tiles = found.queries <= 0 ? 0 : larger(found.last_tile - found.first_tile, 1);
  return found;
}

// Equal ranges of tiles.
struct DecodeRanges {
  int tiles, blocks;

  TILE_FN int begin(int block) const {
    return static_cast<int>(static_cast<std::int64_t>(block) * tiles / blocks);
  }
  // The block that has the tile: the last one that begins at it or before.
  TILE_FN int holder(int tile) const {
    return static_cast<int>(((static_cast<std::int64_t>(tile) + 1) * blocks - 1) / tiles);
  }
};

TILE_FN DecodeRanges divide_tiles(int tiles, int blocks) {
  return {tiles, larger(1, smaller(blocks, tiles / least_decode_tiles))};
}

TILE_FN bool holders_agree(int tiles, int blocks) {
  const DecodeRanges ranges = divide_tiles(tiles, blocks);
  for (int block = 0; block < ranges.blocks; ++block)
    for (int tile = ranges.begin(block); tile < ranges.begin(block + 1); ++tile)
      if (ranges.holder(tile) != block) return false;
  return ranges.begin(0) == 0 && ranges.begin(ranges.blocks) == tiles;
}
static_assert(holders_agree(64, 16) && holders_agree(67, 16) && holders_agree(5, 16) &&
                  holders_agree(1, 16) && holders_agree(97, 1),
              "a tile's holder is the block in whose range it is");

// By all lanes of a warp: the tiles of all sequences, and of those before the one asked about.
struct DecodeTotals {
  int all, before;
};
TILE_DEVICE DecodeTotals count_tiles(const DecodeWork& work, int sequence) {
  int all = 0, before = 0;
  for (int at = static_cast<int>(arch::lane_index()); at < work.batch; at += 32) {
    const int tiles = find_sequence(work.sequences, at).tiles * work.kv_heads;
    all += tiles;
    if (at < sequence) before += tiles;
  }
  return {__reduce_add_sync(0xffffffff, all), __reduce_add_sync(0xffffffff, before)};
}

// Consecutive tiles of one head of one sequence.
struct DecodeSegment {
  DecodeSequence of;
  int sequence, head;
  int first_tile, last_tile;  // to read, counted from the sequence's first key
  bool whole;                 // the result is final
  int slot;                   // where the result goes that is not: a block has two such at most
};

// Goes over a block's range. By all lanes of a warp, each warp for itself.
class DecodeScheduler {
 public:
  TILE_DEVICE DecodeScheduler(const DecodeWork& work, int block) : work_(work), block_(block) {
    const DecodeRanges ranges = divide_tiles(count_tiles(work, 0).all, work.blocks);
    if (block >= ranges.blocks || ranges.tiles == 0) return;
    at_ = ranges.begin(block);
    end_ = ranges.begin(block + 1);
    locate();
    if (work_.whole) {
      const int into = (at_ - start_) % of_.tiles;
      if (into > 0) at_ += of_.tiles - into;
    }
    begin_ = at_;
  }

  TILE_DEVICE bool next(DecodeSegment& segment) {
    if (at_ >= end_) return false;
    while (at_ >= start_ + of_.tiles * work_.kv_heads) {
      start_ += of_.tiles * work_.kv_heads;
      of_ = find_sequence(work_.sequences, ++sequence_);
    }
    const int head = (at_ - start_) / of_.tiles;
    const int into = (at_ - start_) % of_.tiles;
    const int rest = of_.tiles - into;
    const int count = work_.whole ? rest : smaller(rest, end_ - at_);
    segment = {.of = of_,
               .sequence = sequence_,
               .head = head,
               .first_tile = of_.first_tile + into,
               .last_tile = smaller(of_.first_tile + into + count, of_.last_tile),
               .whole = count == of_.tiles,
               .slot = 2 * block_ + (at_ == begin_ ? 0 : 1)};
    at_ += count;
    return true;
  }

 private:
  // The sequence that has tile at_, and where it starts.
  TILE_DEVICE void locate() {
    const int lane = static_cast<int>(arch::lane_index());
    int before = 0;
    for (int first = 0; first < work_.batch; first += 32) {
      const int tiles = first + lane < work_.batch
                            ? find_sequence(work_.sequences, first + lane).tiles * work_.kv_heads
                            : 0;
      int up_to = tiles;
      for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(0xffffffff, up_to, step);
        if (lane >= step) up_to += other;
      }
      const unsigned beyond = __ballot_sync(0xffffffff, at_ < before + up_to);
      if (beyond != 0) {
        const int found = __ffs(static_cast<int>(beyond)) - 1;
        sequence_ = first + found;
        start_ = before + __shfl_sync(0xffffffff, up_to - tiles, found);
        break;
      }
      before += __shfl_sync(0xffffffff, up_to, 31);
    }
    of_ = find_sequence(work_.sequences, sequence_);
  }

  const DecodeWork& work_;
  int block_;
  int begin_ = 0, at_ = 0, end_ = 0;  // numbers of tiles
  int sequence_ = 0, start_ = 0;      // of the tile at_
  DecodeSequence of_{};
};

}  // namespace aisp::tile
