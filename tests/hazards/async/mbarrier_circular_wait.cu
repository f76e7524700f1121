// hazard: deadlock
// Each of two warps waits for the other's barrier before it arrives at its own: nobody ever
// arrives.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

template <bool fixed>
__global__ void exchange(int* out) {
  __shared__ int tile[2 * count];
  __shared__ std::uint64_t ready[2];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&ready[0], count);
    ptx::mbarrier_init(&ready[1], count);
  }
  __syncthreads();
  tile[threadIdx.x] = hazard::number(threadIdx.x);
  if (fixed) ptx::mbarrier_arrive(&ready[warp]);
  ptx::mbarrier_wait(&ready[1 - warp], 0);
  if (!fixed) ptx::mbarrier_arrive(&ready[warp]);
  out[(1 - warp) * count + lane] = tile[(1 - warp) * count + lane];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> out(2 * count);
  exchange<fixed><<<1, 2 * count>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
