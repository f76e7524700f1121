// hazard: deadlock
// Two warps meet at two named barriers, in opposite order: each waits where the other is not.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void meet_twice(int* out) {
  __shared__ int cells[64];
  const int thread = threadIdx.x, first = fixed || thread < 32 ? 1 : 2;
  cells[thread] = thread;
  ptx::bar_sync(first, 64);
  const int seen = cells[thread ^ 32];
  ptx::bar_sync(3 - first, 64);
  cells[thread] = seen + 1;
  out[thread] = cells[thread];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  meet_twice<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (i ^ 32) + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
