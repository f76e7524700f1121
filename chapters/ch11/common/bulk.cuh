// Bulk copies of plain memory by the copy engine, for the rungs that need sm_90.
#pragma once

#include "tile/arch/mbarrier.cuh"

namespace ch11 {

// Every file is compiled for every architecture; a kernel that needs the copy engine is a trap
// where there is none. Not defined in host code.
#ifdef __CUDA_ARCH__
inline constexpr bool has_bulk_copies = __CUDA_ARCH__ >= 900;
#else
inline constexpr bool has_bulk_copies = false;
#endif

// Global to shared memory, counted in bytes at `barrier`. Addresses and `bytes` are multiples of
// 16; one thread asks.
TILE_DEVICE void bulk_load(void* to, const void* from, int bytes, tile::arch::MBarrier* barrier) {
  using tile::arch::shared_address;
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

}  // namespace ch11
