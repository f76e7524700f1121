// hazard: shared-race
// All threads add to a shared counter with atomicAdd() and then read it plainly. A weak read and an
// atomic of another thread are not morally strong: unordered, they race like two plain accesses.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void count_and_read(int* out) {
  __shared__ int counter;
  if (threadIdx.x == 0) counter = 0;
  __syncthreads();
  atomicAdd(&counter, static_cast<int>(threadIdx.x));
  if constexpr (fixed) __syncthreads();
  out[threadIdx.x] = counter;
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(128);
  count_and_read<fixed><<<1, 128>>>(out.get());
  hazard::finish();
  return out.holds([](int) { return 127 * 128 / 2; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
