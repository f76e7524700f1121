// hazard: shared-race
// Only lane 0 of the consumer waits at the mbarrier; the others read without having been told. What
// lane 0 has acquired reaches them through __syncwarp(), not by itself.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void signal(int* out) {
  __shared__ std::uint64_t bar;
  __shared__ int cells[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    cells[lane] = lane * 8;
    ptx::mbarrier_arrive(&bar);
  } else {
    if (lane == 0) ptx::mbarrier_wait(&bar, 0);
    if constexpr (fixed) __syncwarp();
    out[lane] = cells[31 - lane];
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  signal<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (31 - i) * 8; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
