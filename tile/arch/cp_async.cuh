// Copies from global to shared memory that a thread asks for and does not wait for, 16 bytes each.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// 16 bytes past the registers and L1; the `valid` first ones come from memory, the rest are zero.
TILE_DEVICE void cp_async_16(std::uint32_t to, const void* from, int valid = 16) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid)
               : "memory");
}
TILE_DEVICE void cp_async_16(void* to, const void* from, int valid = 16) {
  cp_async_16(shared_address(to), from, valid);
}
TILE_DEVICE void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending>
TILE_DEVICE void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace aisp::tile::arch
