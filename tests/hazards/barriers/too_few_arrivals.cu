// hazard: deadlock
// An mbarrier is initialised for all threads of the block, but only the first warp arrives: its
// phase never ends and the second warp waits for ever.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void signal(int* out) {
  __shared__ std::uint64_t bar;
  __shared__ int cells[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, fixed ? 32 : 64);
  __syncthreads();
  if (threadIdx.x < 32) {
    cells[lane] = lane + 70;
    ptx::mbarrier_arrive(&bar);
  } else {
    ptx::mbarrier_wait(&bar, 0);
    out[lane] = cells[31 - lane];
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  signal<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return 101 - i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
