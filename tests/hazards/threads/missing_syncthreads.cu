// hazard: shared-race
// Every thread writes its cell and reads the one of a thread in another warp. Nothing orders the
// two: without __syncthreads() the threads of a block run in any order (programming guide, 'Thread
// Hierarchy'; PTX memory model: two weak accesses of different threads need causality order).
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
// example begin: shared-race
__global__ void exchange(int* out) {
  __shared__ int cells[128];
  const int thread = static_cast<int>(threadIdx.x);
  cells[thread] = thread * 3;
  if constexpr (fixed) __syncthreads();
  out[thread] = cells[127 - thread];
}
// example end

template <bool fixed>
bool run() {
  hazard::Array<int> out(128);
  exchange<fixed><<<1, 128>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (127 - i) * 3; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
