// Tensor memory: columns of 128 lanes of 32 bits that the matrix unit of Blackwell accumulates in.
// Who allocates them, and how work on them is ordered. An address has its lane in the upper half
// and its column in the lower. All instructions of a kernel name one group: a block alone
// (cta_group 1), or the two blocks of a cluster whose ranks differ in bit 0 (cta_group 2).
#pragma once

#include "tile/arch/mbarrier.cuh"

namespace aisp::tile::arch {

using TmemAddress = std::uint32_t;

TILE_DEVICE TmemAddress tmem_at(TmemAddress from, int lane, int column) {
  return from + (static_cast<std::uint32_t>(lane) << 16) + static_cast<std::uint32_t>(column);
}

// By one whole warp (of each block of a pair): waits until so many columns are free, a power of two
// from 32 to 512, and stores their address to shared memory as an ordinary store.
template <int cta_group>
TILE_DEVICE void tmem_alloc(TmemAddress* to, int columns) {
  asm volatile("tcgen05.alloc.cta_group::%2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                   shared_address(to)),
               "r"(columns), "n"(cta_group)
               : "memory");
}
// No further allocations: another block of the multiprocessor may start with its own.
template <int cta_group>
TILE_DEVICE void tmem_relinquish() {
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::%0.sync.aligned;" ::"n"(cta_group)
               : "memory");
}
template <int cta_group>
TILE_DEVICE void tmem_dealloc(TmemAddress from, int columns) {
  asm volatile("tcgen05.dealloc.cta_group::%2.sync.aligned.b32 %0, %1;" ::"r"(from), "r"(columns),
               "n"(cta_group)
               : "memory");
}

// Around a barrier between threads: work on tensor memory that was issued before it is done before,
// what follows is not begun earlier.
TILE_DEVICE void tcgen05_fence_before_sync() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
TILE_DEVICE void tcgen05_fence_after_sync() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// This thread's loads have their registers, its stores their cells.
TILE_DEVICE void tmem_wait_loads() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }
TILE_DEVICE void tmem_wait_stores() { asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory"); }

// One arrival at the barrier when all products and copies are done that this thread has issued.
template <int cta_group>
TILE_DEVICE void tcgen05_commit(MBarrier* barrier) {
  asm volatile("tcgen05.commit.cta_group::%1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                   shared_address(barrier)),
               "n"(cta_group)
               : "memory");
}
// ... at the barrier in the same place of every block in `blocks`, one bit per rank.
template <int cta_group>
TILE_DEVICE void tcgen05_commit_multicast(MBarrier* barrier, std::uint16_t blocks) {
  asm volatile(
      "tcgen05.commit.cta_group::%2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"
      " [%0], %1;" ::"r"(shared_address(barrier)),
      "h"(blocks), "n"(cta_group)
      : "memory");
}

}  // namespace aisp::tile::arch
