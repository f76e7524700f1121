// hazard: cluster-race
// One lane of block 1 arrives on block 0's mbarrier for its whole warp, whose stores into block 0's
// shared memory are not ordered before that arrive: __syncwarp() is missing.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void __cluster_dims__(2) signal(int* out) {
  __shared__ std::uint64_t bar;
  __shared__ std::uint32_t cells[32];
  const std::uint32_t thread = threadIdx.x, rank = ptx::cluster_rank();
  if (thread == 0) ptx::mbarrier_init(&bar, 1);
  ptx::cluster_sync();
  if (rank == 1) {
    ptx::store_cluster(ptx::map_to(cells + thread, 0), thread * 13);
    if constexpr (fixed) __syncwarp();
    if (thread == 0) ptx::mbarrier_arrive_cluster(ptx::map_to(&bar, 0));
    __syncwarp();
  } else {
    ptx::mbarrier_wait_cluster(&bar, 0);
    out[thread] = cells[31 - thread];
  }
  ptx::cluster_sync();
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  signal<fixed><<<2, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (31 - i) * 13; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
