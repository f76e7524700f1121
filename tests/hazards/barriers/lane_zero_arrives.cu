// hazard: shared-race
// A warp writes, and its lane 0 arrives on an mbarrier for all of them. An arrive releases what its
// own lane has done, and what is ordered before it: without __syncwarp() that is one lane's write.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void signal(int* out) {
  __shared__ std::uint64_t bar;
  __shared__ int cells[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  __syncthreads();
  if (threadIdx.x < 32) {
    cells[lane] = lane * 6;
    if constexpr (fixed) __syncwarp();
    if (lane == 0) ptx::mbarrier_arrive(&bar);
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
  return out.holds([](int i) { return (31 - i) * 6; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
