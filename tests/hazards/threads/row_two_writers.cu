// hazard: shared-race
// A warp reads 32 words side by side. Another warp has written one of them, in the middle, with no
// barrier between: the words around it say nothing about that one.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void read_row(int* out) {
  __shared__ int row[64];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    row[lane] = lane;
    row[lane + 32] = 0;
  }
  __syncthreads();
  if (threadIdx.x == 32 + 20) row[20] = 7;
  if constexpr (fixed) __syncthreads();
  if (threadIdx.x < 32) out[lane] = row[lane];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  read_row<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i == 20 ? 7 : i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
