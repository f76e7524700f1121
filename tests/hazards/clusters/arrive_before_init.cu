// hazard: mbarrier-init
// also: misuse, deadlock
// Block 0 initialises an mbarrier and block 1 arrives on it. Nothing makes the initialisation come
// first, and visible: mbarrier.init must be ordered before any other use (PTX: mbarrier.init).
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void __cluster_dims__(2) signal(int* out) {
  __shared__ std::uint64_t bar;
  __shared__ std::uint32_t cells[32];
  const std::uint32_t thread = threadIdx.x, rank = ptx::cluster_rank();
  if (rank == 0 && thread == 0) ptx::mbarrier_init(&bar, 32);
  if constexpr (fixed) ptx::cluster_sync();
  if (rank == 1) {
    ptx::store_cluster(ptx::map_to(cells + thread, 0), thread * 12);
    ptx::mbarrier_arrive_cluster(ptx::map_to(&bar, 0));
  } else {
    __syncwarp();  // the initialisation is visible to the own warp
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
  return out.holds([](int i) { return (31 - i) * 12; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
