// The work of a block: the tiles of 64 keys of all heads, one after another, are cut into equal
// slices, one for every block. What the kernels are told, and what a tile looks like in shared
// memory.
#pragma once

#include "tile/collective/decode/segments.cuh"

namespace aisp::ch11::kv {

inline constexpr int head_size = 128;
inline constexpr int row_bytes = 2 * head_size;  // bf16
inline constexpr int tile_keys = tile::decode_tile_keys;
inline constexpr int math_warps = 4, math_threads = 32 * math_warps;
inline constexpr int most_queries = 8;  // heads that share keys: the columns of a matrix product

// Half of the columns of a tile's rows: lines of 128 bytes, the widest swizzle. The 16 bytes at
// place c of line r lie at place c ^ r % 8.
inline constexpr int panel_columns = 64, panel_bytes = 128 * tile_keys;

struct Tile {
  alignas(1024) char k[2 * panel_bytes];
  char v[2 * panel_bytes];
};

// Heads are those of keys, of all sequences one after the other.
struct Work {
  const char* q;  // (heads, queries, 128), bf16
  char* o;        // the same
  int heads, queries;
  int keys, tiles;  // of a head
  float scale;      // of scores, times log2(e)
  // Heads that were cut: (slot, queries, 128) sums of weighted values, and (slot, queries) their
  // largest score, in powers of two, beside the sum of weights. A block has two slots.
  float* partial_sums;
  float2* partial_weights;
};

// Where the pages of a sequence are.
struct Pages {
  const std::int32_t* table;  // (sequences, per_sequence)
  int per_sequence, rows, kv_heads;
  int count;  // in the pool
};

// A run of tiles of one head.
struct Segment {
  int head;
  int first_tile, last_tile;
  bool whole;  // all of the head: the result is final
  int slot;    // where the result goes that is not
};

class Walk {
 public:
  TILE_DEVICE explicit Walk(const Work& work)
      : tiles_(work.tiles), block_(static_cast<int>(blockIdx.x)) {
    const auto ranges = tile::divide_tiles(work.heads * work.tiles, static_cast<int>(gridDim.x));
    if (block_ >= ranges.blocks) return;
    at_ = begin_ = ranges.begin(block_);
    end_ = ranges.begin(block_ + 1);
  }

  TILE_DEVICE bool next(Segment& segment) {
    if (at_ >= end_) return false;
    const int first = at_ % tiles_;
    const int count = min(tiles_ - first, end_ - at_);
    segment = {.head = at_ / tiles_,
               .first_tile = first,
               .last_tile = first + count,
               .whole = count == tiles_,
               .slot = 2 * block_ + (at_ == begin_ ? 0 : 1)};
    at_ += count;
    return true;
  }

 private:
  int tiles_, block_;
  int begin_ = 0, at_ = 0, end_ = 0;
};

// The start of dynamic shared memory, rounded up as the swizzle needs it.
template <class Shared>
TILE_DEVICE Shared& shared_memory() {
  extern __shared__ char raw[];
  return *reinterpret_cast<Shared*>(raw + (1024 - tile::arch::shared_address(raw) % 1024) % 1024);
}
template <class Shared>
constexpr std::size_t shared_bytes = sizeof(Shared) + 1024;

}  // namespace aisp::ch11::kv
