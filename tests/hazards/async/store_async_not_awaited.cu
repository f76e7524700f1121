// hazard: cluster-race, bulk-wait, shared-race, early-exit, memory-fault
// Block 0 writes into block 1 with st.async, block 1 reads after a cluster barrier. The stores are
// asynchronous: only the mbarrier that counts their bytes says when they are there.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

template <bool fixed>
__global__ void __cluster_dims__(2) push(int* out) {
  __shared__ alignas(16) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
    if (ptx::cluster_rank() == 1) ptx::mbarrier_arrive_expect(&full, sizeof tile);
  }
  ptx::cluster_sync();
  if (ptx::cluster_rank() == 0)
    ptx::store_async(ptx::map_to(&tile[threadIdx.x], 1), hazard::number(threadIdx.x),
                     ptx::map_to(&full, 1));
  ptx::cluster_sync();
  if (ptx::cluster_rank() == 0) return;
  if (fixed) ptx::mbarrier_wait_cluster(&full, 0);
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
