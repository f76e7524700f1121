// hazard: shared-race
// Two warps read the same word. Only the first one arrives at the mbarrier behind which a third
// warp overwrites it.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void read_twice(int* out) {
  __shared__ std::uint64_t bar;
  __shared__ int cells[192];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) ptx::mbarrier_init(&bar, fixed ? 2 : 1);
  cells[thread * 2] = 4;
  __syncthreads();
  if (thread == 3 || thread == 35) {
    out[thread / 32] = cells[20];
    if (fixed || thread == 3) ptx::mbarrier_arrive(&bar);
  } else if (thread == 64) {
    ptx::mbarrier_wait(&bar, 0);
    cells[20] = 8;
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(2);
  read_twice<fixed><<<1, 96>>>(out.get());
  hazard::finish();
  return out.holds([](int) { return 4; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
