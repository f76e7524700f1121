// The loading role of attention: which tiles this block computes, and the order of their copies.
#pragma once

#include "tile/arch/warp.cuh"
#include "tile/collective/attention/consumer.cuh"
#include "tile/schedule/attention_tiles.hpp"

namespace aisp::tile {

struct AttentionForward {
  AttentionParams params;
  AttentionTiles tiles;
  // The next tile and how many blocks are done, both 0 before and after a launch; null: blocks take
  // every gridDim-th tile.
  unsigned* next;
};

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
    __threadfence();
    if (atomicAdd(&all_.next[1], 1) != gridDim.x - 1) return;
    __threadfence();
    atomicExch(&all_.next[0], 0);
    atomicExch(&all_.next[1], 0);
  }

 private:
  const AttentionForward& all_;
  int next_ = -1;
};

// Copies are asked for in the order in which they are needed: the keys of a block before the values
// of the block ahead of it.
template <AttentionConfig config>
TILE_DEVICE void attention_load_role(const AttentionForward& all, AttentionShared<config>& shared) {
  AttentionLoader<config> loader(shared, all.params);
  TakeTiles tiles(all);
  AttentionTile tile{};
  for (int number; tiles.take(number);) {
    if (!find_tile<config.plain>(all.params.sequences, all.tiles.at(number), config.block_rows(),
                                 config.block_keys, tile))
      continue;
    if (tile.blocks == 0) {
      store_nothing<config>(all.params, tile);
      continue;
    }
    const AttentionTile& handed = loader.hand_over(tile);
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
