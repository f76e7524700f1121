// hazard: shared-race
// Two warps store different values into one word with no barrier between them: which one stays is
// undefined (PTX memory model: conflicting weak writes of different threads, unordered).
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void write_twice(int* out) {
  __shared__ int word;
  if (threadIdx.x == 0) word = 10;
  if constexpr (fixed) __syncthreads();
  if (threadIdx.x == 32) word = 20;
  __syncthreads();
  out[threadIdx.x] = word;
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  write_twice<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int) { return 20; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
