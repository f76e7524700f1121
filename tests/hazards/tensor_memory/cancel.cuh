// Launch control by one thread: its answer lies where the first stage's A does.
#pragma once

#include "tests/hazards/tensor_memory/tensor.cuh"

namespace tensor {

__device__ inline void ask(Shared& shared) {
  barrier_expect(shared_address(&shared.done), 16);
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128"
      " [%0], [%1];" ::"r"(shared_address(shared.stage[0].a)),
      "r"(shared_address(&shared.done))
      : "memory");
}
// Its answer goes to all blocks of the cluster.
__device__ inline void ask_for_all(Shared& shared) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
      ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(shared_address(shared.stage[0].a)),
      "r"(shared_address(&shared.done))
      : "memory");
}
__device__ inline bool taken(Shared& shared) {
  std::uint32_t was = 0;
  asm volatile(
      "{ .reg .pred p; .reg .b128 handle; ld.shared::cta.b128 handle, [%1];"
      " clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, handle;"
      " selp.u32 %0, 1, 0, p; }"
      : "=r"(was)
      : "r"(shared_address(shared.stage[0].a))
      : "memory");
  return was != 0;
}
__device__ inline void wait_answer(Shared& shared, std::uint32_t parity) {
  barrier_wait(shared_address(&shared.done), parity);
}

}  // namespace tensor
