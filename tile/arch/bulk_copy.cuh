// Bulk copies of plain memory by TMA, without a tensor map.
#pragma once

#include "tile/arch/mbarrier.cuh"

namespace aisp::tile::arch {

// A file that is compiled for every architecture leaves the copies out where there is no TMA:
// such a kernel is never launched there.
#ifdef __CUDA_ARCH__
inline constexpr bool has_bulk_copies = __CUDA_ARCH__ >= 900;
#else
inline constexpr bool has_bulk_copies = false;
#endif

// Global to shared memory, counted in bytes at `barrier`. Addresses and `bytes` are multiples of
// 16; one thread asks.
TILE_DEVICE void bulk_load(void* to, const void* from, int bytes, MBarrier* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

}  // namespace aisp::tile::arch
