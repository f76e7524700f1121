// A warp and its lanes: one elected thread, a value that is the same in all lanes, a lane's number.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// True in exactly one lane of a converged warp; the compiler then knows that one thread runs.
TILE_DEVICE bool elect_one() {
  std::uint32_t chosen;
  asm volatile("{\n  .reg .pred p;\n  elect.sync _|p, 0xffffffff;\n  selp.b32 %0, 1, 0, p;\n}"
               : "=r"(chosen));
  return chosen != 0;
}

// The same value in all lanes of a warp, known as such to the compiler: a warp index computed from
// threadIdx alone would be kept per lane.
TILE_DEVICE int warp_uniform(int value) { return __shfl_sync(0xffffffff, value, 0); }

TILE_DEVICE unsigned lane_index() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

}  // namespace aisp::tile::arch
