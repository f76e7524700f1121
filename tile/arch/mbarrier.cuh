// Barriers in shared memory that count arrivals and bytes. A phase completes when all arrivals and
// all expected bytes are in; a waiter names the parity of the phase it waits for.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

using MBarrier = std::uint64_t;

TILE_DEVICE void mbarrier_init(MBarrier* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

// Makes initialised barriers visible to the other blocks of the cluster and to TMA.
TILE_DEVICE void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

TILE_DEVICE void mbarrier_arrive(MBarrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

// Arrives and raises the bytes this phase waits for.
TILE_DEVICE void mbarrier_arrive_expect(MBarrier* barrier, int bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

// Arrives at the barrier in the same place of another block of the cluster.
TILE_DEVICE void mbarrier_arrive_remote(MBarrier* barrier, int block_rank) {
  asm volatile(
      "{\n  .reg .b32 remote;\n  mapa.shared::cluster.u32 remote, %0, %1;\n"
      "  mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(shared_address(barrier)),
      "r"(block_rank)
      : "memory");
}

TILE_DEVICE bool mbarrier_try_wait(MBarrier* barrier, unsigned parity) {
  std::uint32_t complete;
  asm volatile(
      "{\n  .reg .pred p;\n  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "  selp.b32 %0, 1, 0, p;\n}"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
}

TILE_DEVICE void mbarrier_wait(MBarrier* barrier, unsigned parity) {
  while (!mbarrier_try_wait(barrier, parity)) continue;
}

// As above, and what other blocks of the cluster wrote before they arrived is visible too.
TILE_DEVICE void mbarrier_wait_cluster(MBarrier* barrier, unsigned parity) {
  asm volatile(
      "{\n  .reg .pred p;\nwait:\n"
      "  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
      "  @!p bra wait;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

}  // namespace aisp::tile::arch
