// hazard: shared-race
// Two lanes read the same word one after the other. Only the first one arrives at the mbarrier
// behind which another warp overwrites it.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void read_twice(int* out) {
  __shared__ std::uint64_t bar;
  __shared__ int cells[64];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  cells[threadIdx.x] = 4;
  __syncthreads();
  if (threadIdx.x < 32) {
    if (lane == 3) out[0] = cells[10];
    if (lane == 5) out[1] = cells[10];
    if constexpr (fixed) __syncwarp();
    if (lane == 3) ptx::mbarrier_arrive(&bar);
  } else if (lane == 0) {
    ptx::mbarrier_wait(&bar, 0);
    cells[10] = 8;
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(2);
  read_twice<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int) { return 4; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
