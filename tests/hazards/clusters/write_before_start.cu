// hazard: cluster-race
// Each block clears its own counters and the others add to them. Without a first barrier.cluster
// the other block may not have started, or not have cleared, when the additions arrive (programming
// guide, 'Distributed Shared Memory': all blocks must have started).
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void __cluster_dims__(2) add_to_peer(int* out) {
  __shared__ std::uint32_t counters[32];
  const std::uint32_t thread = threadIdx.x, rank = ptx::cluster_rank();
  counters[thread] = 7;
  if constexpr (fixed) ptx::cluster_sync();
  const std::uint32_t peer = ptx::map_to(counters + 31 - thread, rank ^ 1);
  asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(peer), "r"(thread)
               : "memory");
  ptx::cluster_sync();
  out[rank * 32 + thread] = counters[thread];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  add_to_peer<fixed><<<2, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return 7 + 31 - i % 32; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
