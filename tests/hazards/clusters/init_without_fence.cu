// hazard: mbarrier-init
// The mbarrier is initialised, then the cluster meets at a relaxed barrier, which orders no memory:
// the initialisation needs fence.mbarrier_init.release.cluster before it to be visible to the other
// block (PTX: fence.mbarrier_init).
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void __cluster_dims__(2) signal(int* out) {
  __shared__ std::uint64_t bar;
  __shared__ std::uint32_t cells[32];
  const std::uint32_t thread = threadIdx.x, rank = ptx::cluster_rank();
  if (thread == 0) {
    ptx::mbarrier_init(&bar, 32);
    if constexpr (fixed) ptx::fence_mbarrier_init();
  }
  __syncwarp();
  ptx::cluster_arrive_relaxed();
  ptx::cluster_wait();
  ptx::store_cluster(ptx::map_to(cells + thread, rank ^ 1), rank * 80 + thread);
  ptx::mbarrier_arrive_cluster(ptx::map_to(&bar, rank ^ 1));
  ptx::mbarrier_wait_cluster(&bar, 0);
  out[rank * 32 + thread] = cells[31 - thread];
  ptx::cluster_sync();
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  signal<fixed><<<2, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (1 - i / 32) * 80 + 31 - i % 32; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
