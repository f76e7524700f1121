// hazard: dealloc-at-exit
// options: --device b200,sms=4
// The warps that give the columns back meet at mbarriers: the leader waits for the other block and
// then answers it. All that a block did with tensor memory is ordered before its arrival.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

// By all lanes of a warp, at the barrier in the same place of the other block.
__device__ void arrive_at_peer(std::uint32_t barrier) {
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
      " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there], 4; }" ::"r"(barrier),
      "r"(cluster_rank() ^ 1)
      : "memory");
}

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start_pair(shared);
  if (cluster_rank() == 0 && one()) {
    product<2>(base, shared.stage[0]);
    commit<2>(shared_address(&shared.done));
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  __syncthreads();
  if (warp() == 0) {
    const std::uint32_t token = shared_address(&shared.token);
    const bool leader = cluster_rank() == 0;
    if (leader) barrier_wait(token, 0);
    __syncwarp();
    arrive_at_peer(token);
    if (!leader) barrier_wait(token, 0);
    __syncwarp();
    free_columns<2>(base);
  }
  if (fixed) cluster_sync();
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
