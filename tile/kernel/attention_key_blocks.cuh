// The blocks of keys that one block of threads goes over, in the order in which all roles do: tile
// by tile of queries, from the last key to the first. Every role counts for itself; nothing is
// handed over.
#pragma once

#include "tile/arch/target.cuh"
#include "tile/collective/attention/config_sm100.hpp"
#include "tile/kernel/attention_arguments.hpp"

namespace aisp::tile {

template <Sm100AttentionConfig config>
class AttentionKeyBlocks {
 public:
  TILE_DEVICE explicit AttentionKeyBlocks(const AttentionForward& all)
      : all_(all), number_(static_cast<int>(blockIdx.x)) {}

  // The next tile that there is, whether its rows see keys or not.
  TILE_DEVICE bool next_tile() {
    while (number_ < all_.tiles.count()) {
      const AttentionTileCoord coord = all_.tiles.at(number_);
      number_ += static_cast<int>(gridDim.x);
      if (!find_tile<false>(all_.params.sequences, coord, config.block_rows(), config.block_keys,
                            tile_))
        continue;
#pragma unroll
      for (int tile = 0; tile < config.query_tiles; ++tile)
        seen_[tile] =
            tile_.blocks_seen(tile * config.tile_rows, config.tile_rows, config.block_keys);
      block_ = tile_.first_block + tile_.blocks;
      return true;
    }
    return false;
  }
  // The next block of keys, if need be of the next tile.
  TILE_DEVICE bool advance() {
    while (block_ <= tile_.first_block)
      if (!next_tile()) return false;
    --block_;
    return true;
  }

  TILE_DEVICE const AttentionTile& tile() const { return tile_; }
  TILE_DEVICE int block() const { return block_; }
  // Of the tile's parts, 128 queries each.
  TILE_DEVICE bool sees_any(int part) const { return of(part).any(); }
  TILE_DEVICE bool seen_by(int part) const { return of(part).has(block_); }
  TILE_DEVICE bool starts(int part) const { return sees_any(part) && block_ == of(part).last; }
  TILE_DEVICE bool ends(int part) const { return sees_any(part) && block_ == of(part).first; }

 private:
  // By choice, not by address: they stay in registers.
  TILE_DEVICE KeyBlocks of(int part) const {
    return config.query_tiles == 1 || part == 0 ? seen_[0] : seen_[config.query_tiles - 1];
  }

  const AttentionForward& all_;
  int number_, block_ = 0;
  AttentionTile tile_{};
  KeyBlocks seen_[config.query_tiles];
};

}  // namespace aisp::tile
