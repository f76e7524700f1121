// Cluster launch control: a running cluster takes over one that has not started yet, and with it
// its tile. The answer, 16 bytes, arrives in shared memory.
#pragma once

#include "tile/arch/mbarrier.cuh"

namespace aisp::tile::arch {

struct alignas(16) LaunchAnswer {
  std::uint32_t words[4];
};

// By one thread; the barrier counts the 16 bytes. After an answer without a cluster there must be
// no further question.
TILE_DEVICE void launch_control_ask(LaunchAnswer* answer, MBarrier* barrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128"
      " [%0], [%1];" ::"r"(shared_address(answer)),
      "r"(shared_address(barrier))
      : "memory");
}
// The answer goes to the same place of every block of the cluster, each of whose barriers counts
// its own 16 bytes.
TILE_DEVICE void launch_control_ask_multicast(LaunchAnswer* answer, MBarrier* barrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
      ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(shared_address(answer)),
      "r"(shared_address(barrier))
      : "memory");
}

// True: `first_block` is the x index of the first block of the cluster that was taken over.
TILE_DEVICE bool launch_control_taken(const LaunchAnswer* answer, int& first_block) {
  std::uint32_t taken = 0, first = 0;
  asm volatile(
      "{\n  .reg .pred p;\n  .reg .b128 answer;\n  ld.shared::cta.b128 answer, [%2];\n"
      "  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;\n"
      "  selp.u32 %0, 1, 0, p;\n"
      "  @p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, answer;\n}"
      : "=r"(taken), "+r"(first)
      : "r"(shared_address(answer))
      : "memory");
  first_block = static_cast<int>(first);
  return taken != 0;
}

}  // namespace aisp::tile::arch
