// A barrier of all blocks of a launch. They must all be resident at once, which a cooperative
// launch makes sure of.
#pragma once

#include "chapters/ch10/cooperative_persistent/smoothing.hpp"
#include "tile/arch/memory.cuh"

namespace aisp::ch10 {

// The `number`-th meeting of the launch, from 1 on: what any thread wrote before it is seen by all
// after it. One thread speaks for its block: the block's own barriers stand around it.
TILE_DEVICE void meet(Board& board, int number) {
  __syncthreads();
  if (threadIdx.x == 0) {
    tile::arch::add_release(&board.arrived, 1);
    const std::uint32_t all = static_cast<std::uint32_t>(number) * gridDim.x;
    while (tile::arch::load_acquire(&board.arrived) < all) continue;
  }
  __syncthreads();
}

// The last block to leave wipes the board for the next launch; true in its first thread, which then
// knows that the other blocks have done all they did before they left.
TILE_DEVICE bool leave(Board& board) {
  if (threadIdx.x != 0) return false;
  if (tile::arch::add_acquire_release(&board.left, 1) != gridDim.x - 1) return false;
  atomicExch(&board.arrived, 0u);
  atomicExch(&board.left, 0u);
  return true;
}

}  // namespace aisp::ch10
