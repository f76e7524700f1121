// The loading role of attention: which tiles this block computes, and the order of their copies.
#pragma once

#include "tile/arch/memory.cuh"
#include "tile/arch/warp.cuh"
#include "tile/collective/attention/consumer.cuh"
#include "tile/kernel/attention_arguments.hpp"

namespace aisp::tile {

// Which tile this block computes after the ones it had. By one warp.
class TakeTiles {
 public:
  TILE_DEVICE explicit TakeTiles(const AttentionForward& all) : all_(all) {}

  // A tile is asked for when all copies of the one before are, which is a few blocks of keys before
  // it ends: asked for earlier it might wait here for long while other blocks run out of work.
  TILE_DEVICE bool take(int& number) {
    const int blocks = static_cast<int>(gridDim.x);
    if (next_ < 0) {
      next_ = static_cast<int>(blockIdx.x);
    } else if (all_.next == nullptr) {
      next_ += blocks;
    } else {
      if (threadIdx.x % 32 == 0) next_ = blocks + static_cast<int>(atomicAdd(all_.next, 1));
      next_ = __shfl_sync(0xffffffff, next_, 0);
    }
    number = next_;
    return number < all_.tiles.count();
  }
  // The last block to finish leaves the counters as they were.
  TILE_DEVICE void finish() {
    if (all_.next == nullptr || !arch::elect_one()) return;
    if (arch::add_acquire_release(&all_.next[1], 1) != gridDim.x - 1) return;
    atomicExch(&all_.next[0], 0);
    atomicExch(&all_.next[1], 0);
  }

 private:
  const AttentionForward& all_;
  int next_ = -1;
};

// The blocks of a tile by their list, last one first.
template <Sm90AttentionConfig config>
TILE_DEVICE void load_listed(AttentionLoader<config>& loader, const AttentionTile& tile,
                             const unsigned* list) {
  int at = tile.blocks - 1;
  unsigned entry = list[at];
  loader.load_keys(tile, block_of(entry), entry);
  for (; at > 0; --at) {
    const unsigned next = list[at - 1];
    loader.load_keys(tile, block_of(next), next);
    loader.load_values(tile, block_of(entry));
    entry = next;
  }
  loader.load_values(tile, block_of(entry));
}

// Copies are asked for in the order in which they are needed: the keys of a block before the values
// of the block ahead of it.
template <Sm90AttentionConfig config>
TILE_DEVICE void attention_load_role(const AttentionForward& all, const AttentionLists& lists,
                                     Sm90AttentionShared<config>& shared) {
  AttentionLoader<config> loader(shared, all.params);
  TakeTiles tiles(all);
  AttentionTile tile{};
  for (int number; tiles.take(number);) {
    AttentionTileCoord coord = all.tiles.at(number);
    if constexpr (config.listed) coord = listed_tile(lists, all.tiles, number);
    if (!find_tile<config.plain>(all.params.sequences, coord, config.block_rows(),
                                 config.block_keys, tile))
      continue;
    if constexpr (config.listed) tile.blocks = lists.counts[lists.list_of(coord)];
    if (tile.blocks == 0) {
      store_nothing<config>(all.params, tile);
      continue;
    }
    const AttentionTile& handed = loader.hand_over(tile);
    if constexpr (config.listed) {
      load_listed<config>(loader, handed,
                          lists.entries + std::int64_t{lists.list_of(coord)} * lists.stride);
      continue;
    }
    int block = handed.first_block + handed.blocks - 1;
    loader.load_keys(handed, block);
    for (; block > handed.first_block; --block) {
      loader.load_keys(handed, block - 1);
      loader.load_values(handed, block);
    }
    loader.load_values(handed, block);
  }
  tile.blocks = no_tile;
  loader.hand_over(tile);
  tiles.finish();
}

}  // namespace aisp::tile
