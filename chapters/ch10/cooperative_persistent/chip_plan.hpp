// How the array lies when it stays on the chip: every block has a stretch of its own, cut into
// tiles. The last tiles of a stretch live in shared memory from the first step to the last; what
// does not fit there, the first tiles, lives in global memory and passes through a ring of slots in
// every step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "chapters/ch10/cooperative_persistent/smoothing.hpp"
#include "tile/layout/target.hpp"

namespace aisp::ch10 {

inline constexpr int chip_ring = 4;                     // slots that tiles pass through
inline constexpr int least_chip_slots = chip_ring + 2;  // with less there is nothing to keep
inline constexpr int chip_tile_bytes = tile_vectors * 16;
inline constexpr int chip_static_bytes = 1024;  // of shared memory for everything but tiles

struct ChipPlan {
  int vectors, blocks;
  int slots;     // tiles of shared memory
  int streamed;  // tiles of each block that do not stay: all of them whole, 0 or more than
                 // chip_ring

  TILE_FN int begin(int block) const {
    return static_cast<int>(std::int64_t{vectors} * block / blocks);
  }
  // The slot in which a tile stays.
  TILE_FN int slot(int tile) const { return streamed == 0 ? tile : chip_ring + tile - streamed; }
};

// `slots` is what a block's shared memory holds, least_chip_slots or more.
constexpr ChipPlan plan_chip(int vectors, int multiprocessors, int slots) {
  const int blocks = std::min(vectors, multiprocessors);
  const int longest = (vectors - 1) / blocks + 1;  // stretches differ by one vector at most
  const int tiles = (longest - 1) / tile_vectors + 1;
  ChipPlan plan{vectors, blocks, std::min(tiles, slots), 0};
  // A tile is asked for chip_ring tiles ahead, in the next step where this one has no more: it must
  // have been stored by then, so a step has more tiles than the ring.
  if (tiles > slots) plan.streamed = std::max(chip_ring + 1, tiles - (slots - chip_ring));
  return plan;
}

}  // namespace aisp::ch10
