// hazard: mbarrier-arrivals, mbarrier-phase, shared-race, deadlock
// Two warps of producers arrive at a barrier that was set up for one: the phase ends when half of
// the data is there, and the other half's arrivals end a second one.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
__global__ void exchange(int* out) {
  __shared__ int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) ptx::mbarrier_init(&full, fixed ? count : count / 2);
  __syncthreads();
  if (threadIdx.x < count) {
    tile[threadIdx.x] = hazard::number(threadIdx.x);
    ptx::mbarrier_arrive(&full);
    return;
  }
  ptx::mbarrier_wait(&full, 0);
  for (int i = threadIdx.x - count; i < count; i += 32) out[i] = tile[i];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> out(count);
  exchange<fixed><<<1, count + 32>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
