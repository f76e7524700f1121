// hazard: shared-race
// roots: 2
// Two exchanges one after the other, both without their barrier: one barrier cannot fix both.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void exchange(int* out) {
  __shared__ int cells[128], others[128];
  const int thread = static_cast<int>(threadIdx.x);
  cells[thread] = thread * 3;
  if constexpr (fixed) __syncthreads();
  const int seen = cells[127 - thread];
  others[thread] = seen + 1;
  if constexpr (fixed) __syncthreads();
  out[thread] = others[127 - thread];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(128);
  exchange<fixed><<<1, 128>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i * 3 + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
