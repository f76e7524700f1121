// The named barriers of a block.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// A barrier of some threads of the block; 0 is __syncthreads. `threads` is a multiple of 32.
TILE_DEVICE void barrier_sync(int index, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(index), "r"(threads) : "memory");
}
TILE_DEVICE void barrier_arrive(int index, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(index), "r"(threads) : "memory");
}

}  // namespace aisp::tile::arch
