// hazard: divergent-aligned
// also: deadlock, shared-race
// __syncthreads() under a condition on the lane: half of each warp comes to it, the other half to
// the next one. It is allowed in conditional code only if the condition is the same for the whole
// block (programming guide); bar.sync is .aligned (PTX).
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
// example begin: divergent-aligned
__global__ void half(int* out) {
  __shared__ int cells[64];
  const int thread = threadIdx.x;
  cells[thread] = thread + 1;
  if (fixed || thread % 32 < 16) __syncthreads();
  const int seen = cells[63 - thread];
  __syncthreads();
  out[thread] = seen;
}
// example end

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  half<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return 64 - i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
