// hazard: deadlock
// Half of a warp calls __syncwarp() for all 32 lanes while the other half waits at an mbarrier for
// the arrivals that would follow: no lane can go on.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void halves(int* out) {
  __shared__ std::uint64_t bar;
  __shared__ int cells[16];
  const int lane = threadIdx.x;
  if (lane == 0) ptx::mbarrier_init(&bar, 16);
  __syncwarp();
  if (lane < 16) {
    cells[lane] = lane * 4;
    __syncwarp(fixed ? 0x0000ffffu : 0xffffffffu);
    ptx::mbarrier_arrive(&bar);
  } else {
    ptx::mbarrier_wait(&bar, 0);
    out[lane - 16] = cells[31 - lane];
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(16);
  halves<fixed><<<1, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (15 - i) * 4; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
