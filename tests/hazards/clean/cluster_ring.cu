// hazard: none
// options: --uninitialised
// Block 0 sends rows into a slot of block 1: full is an mbarrier of the receiver, empty one of the
// sender, both are arrived at from the other side. Initialised with the fence for clusters and a
// relaxed cluster barrier; the last barrier keeps both blocks until all is done.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int turns = 6;

__global__ void __cluster_dims__(2) ring(int* out) {
  __shared__ std::uint64_t full, empty;
  __shared__ std::uint32_t row[32];
  const std::uint32_t thread = threadIdx.x;
  if (thread == 0) {
    ptx::mbarrier_init(&full, 32);
    ptx::mbarrier_init(&empty, 32);
    ptx::fence_mbarrier_init();
  }
  __syncwarp();
  ptx::cluster_arrive_relaxed();
  ptx::cluster_wait();
  if (ptx::cluster_rank() == 0) {
    for (int turn = 0; turn < turns; ++turn) {
      ptx::mbarrier_wait_cluster(&empty, (turn + 1) % 2);
      ptx::store_cluster(ptx::map_to(row + thread, 1), turn * thread);
      ptx::mbarrier_arrive_cluster(ptx::map_to(&full, 1));
    }
  } else {
    std::uint32_t sum = 0;
    for (int turn = 0; turn < turns; ++turn) {
      ptx::mbarrier_wait_cluster(&full, turn % 2);
      sum += row[31 - thread];
      ptx::mbarrier_arrive_cluster(ptx::map_to(&empty, 0));
    }
    out[thread] = sum;
  }
  ptx::cluster_sync();
}

bool run() {
  hazard::Array<int> out(32);
  ring<<<2, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return 15 * (31 - i); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
