// hazard: mbarrier-init, misuse, cluster-race, deadlock
// Block 1 arrives at an mbarrier of block 0 with no cluster barrier after its initialisation: it
// may come before it. fence.mbarrier_init and barrier.cluster make it visible to the cluster.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

template <bool fixed>
__global__ void __cluster_dims__(2) push(int* out) {
  __shared__ int tile[count];
  __shared__ std::uint64_t full;
  if (ptx::cluster_rank() == 0 && threadIdx.x == 0) {
    ptx::mbarrier_init(&full, count);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (fixed) ptx::cluster_sync();
  if (ptx::cluster_rank() == 1) {
    ptx::store_cluster(ptx::map_to(&tile[threadIdx.x], 0), hazard::number(threadIdx.x));
    ptx::mbarrier_arrive_cluster(ptx::map_to(&full, 0));
    return;
  }
  ptx::mbarrier_wait_cluster(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> out(count);
  push<fixed><<<2, count>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
