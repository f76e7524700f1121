// hazard: none
// Block 0 pushes rounds of numbers into one slot of block 1 with st.async; block 1 waits for their
// bytes, reads, expects the next ones and only then releases the slot at block 0's barrier.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32, rounds = 5;

__global__ void __cluster_dims__(2) push(int* out) {
  __shared__ alignas(16) int slot[count];
  __shared__ std::uint64_t full, empty;
  const int lane = threadIdx.x;
  if (lane == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_init(&empty, 1);
    ptx::fence_mbarrier_init();
    if (ptx::cluster_rank() == 1) ptx::mbarrier_arrive_expect(&full, sizeof slot);
  }
  ptx::cluster_sync();
  for (int i = 0; i < rounds; ++i) {
    if (ptx::cluster_rank() == 0) {
      ptx::mbarrier_wait_cluster(&empty, ~i & 1);
      ptx::store_async(ptx::map_to(&slot[lane], 1), hazard::number(i * count + lane),
                       ptx::map_to(&full, 1));
    } else {
      ptx::mbarrier_wait_cluster(&full, i & 1);
      out[i * count + count - 1 - lane] = slot[count - 1 - lane];
      __syncwarp();
      if (lane == 0 && i + 1 < rounds) {
        ptx::mbarrier_arrive_expect(&full, sizeof slot);
        ptx::mbarrier_arrive_cluster(ptx::map_to(&empty, 0));
      }
    }
  }
}

bool run() {
  const hazard::Array<int> out(rounds * count);
  push<<<2, count>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run);

}  // namespace
