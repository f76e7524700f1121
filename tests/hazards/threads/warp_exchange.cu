// hazard: shared-race
// Lanes of one warp exchange values through shared memory without __syncwarp(). Since Volta lanes
// are scheduled on their own; "implicit warp-synchronous" code has no defined order (programming
// guide, 'Independent Thread Scheduling').
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void exchange(int* out) {
  __shared__ int cells[32];
  const int lane = threadIdx.x;
  cells[lane] = lane * lane;
  if constexpr (fixed) __syncwarp();
  out[lane] = cells[lane ^ 1];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  exchange<fixed><<<1, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (i ^ 1) * (i ^ 1); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
