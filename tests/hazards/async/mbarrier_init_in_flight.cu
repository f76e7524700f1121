// hazard: mbarrier-reinit, mbarrier-transactions, bulk-wait, shared-race, deadlock, misuse
// also: early-exit
// The barrier is set up anew for the second load while the first one is still to complete at it:
// its bytes then count for the wrong object. It must be waited for and invalidated first.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, bytes = count * sizeof(int);

template <bool fixed>
__global__ void two_loads(const int* in, int* out) {
  __shared__ alignas(128) int tile[2][count];
  __shared__ std::uint64_t full;
  for (int i = 0; i < 2; ++i) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(&full, 1);
      ptx::fence_mbarrier_init();
      ptx::mbarrier_arrive_expect(&full, bytes);
      ptx::bulk_load(tile[i], in + i * count, bytes, &full);
    }
    __syncthreads();
    if (fixed || i == 1) ptx::mbarrier_wait(&full, 0);
    __syncthreads();
    if (fixed && threadIdx.x == 0) ptx::mbarrier_inval(&full);
  }
  for (int i = 0; i < 2; ++i) out[i * count + threadIdx.x] = tile[i][threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(2 * count)), out(2 * count);
  two_loads<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
