// Register reallocation: registers move between the warpgroups of a block.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// All four warps of a warpgroup execute it. A multiple of 8, 24 to 256.
template <int registers>
TILE_DEVICE void warpgroup_reg_dealloc() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
TILE_DEVICE void warpgroup_reg_alloc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

}  // namespace aisp::tile::arch
