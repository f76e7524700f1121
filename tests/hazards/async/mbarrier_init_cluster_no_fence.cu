// hazard: mbarrier-init-fence
// The blocks of a cluster meet at a barrier that releases and acquires behind mbarrier.init, and a
// copy of one block completes at the mbarrier of the other: only the fence is missing.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32, bytes = count * sizeof(int);

template <bool fixed>
__global__ void __cluster_dims__(2) broadcast(const int* in, int* out) {
  __shared__ alignas(128) int slot[count];
  __shared__ std::uint64_t full;
  const int rank = static_cast<int>(ptx::cluster_rank()), lane = static_cast<int>(threadIdx.x);
  if (lane == 0) {
    ptx::mbarrier_init(&full, 1);
    if (fixed) ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(&full, bytes);
  }
  __syncwarp();
  ptx::cluster_arrive();
  ptx::cluster_wait();
  if (rank == 0 && lane == 0) ptx::bulk_load_to(slot, in, bytes, &full, 3);
  ptx::mbarrier_wait_cluster(&full, 0);
  out[rank * count + lane] = slot[lane];
  ptx::cluster_sync();
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(count)), out(2 * count);
  broadcast<fixed><<<2, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return hazard::number(i % count); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
