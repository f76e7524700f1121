// hazard: shared-race
// A warp writes 32 words side by side, two times. Another warp reads one of them, in the middle,
// with no barrier before the second time: that one may be read too late.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void write_row(int* out) {
  __shared__ int row[64];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) row[lane] = lane + 1;
  __syncthreads();
  if (threadIdx.x == 32 + 20) out[0] = row[20];
  if constexpr (fixed) __syncthreads();
  if (threadIdx.x < 32) row[lane] = -lane;
  __syncthreads();
  if (threadIdx.x == 0) out[1] = row[31];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(2);
  write_row<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i == 0 ? 21 : -31; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
