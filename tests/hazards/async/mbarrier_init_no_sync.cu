// hazard: mbarrier-init, misuse, shared-race
// Thread 0 initialises an mbarrier and another warp arrives at it with no barrier in between: the
// arrival may come before the initialisation, or not see it.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

template <bool fixed>
// example begin: mbarrier-init
__global__ void exchange(int* out) {
  __shared__ int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) ptx::mbarrier_init(&full, count);
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  if (threadIdx.x >= count) {
    tile[threadIdx.x - count] = hazard::number(threadIdx.x - count);
    ptx::mbarrier_arrive(&full);
    return;
  }
  ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> out(count);
  exchange<fixed><<<1, 2 * count>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
