// hazard: shared-race
// __syncwarp() orders memory only among the lanes of its mask. Both halves of the warp call it with
// the mask of their own half and then read what the other half wrote.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void exchange_halves(int* out) {
  __shared__ int cells[32];
  const int lane = threadIdx.x;
  const unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  cells[lane] = lane * 5;
  __syncwarp(fixed ? 0xffffffffu : half);
  out[lane] = cells[lane ^ 16];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  exchange_halves<fixed><<<1, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (i ^ 16) * 5; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
