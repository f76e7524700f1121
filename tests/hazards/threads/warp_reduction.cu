// hazard: shared-race
// The last five turns of a reduction, inside one warp, "need no barrier": true before Volta only.
// Reads and writes of each turn must be kept apart by __syncwarp() (programming guide,
// 'Independent Thread Scheduling').
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void reduce_warp(const int* in, int* out) {
  __shared__ int sums[64];
  const int lane = threadIdx.x;
  sums[lane] = in[lane];
  sums[lane + 32] = 0;
  __syncwarp();
#pragma unroll 1  // or the compiler keeps the sums in registers
  for (int half = 16; half > 0; half /= 2) {
    const int other = sums[lane + half];
    if constexpr (fixed) __syncwarp();
    sums[lane] += other;
    if constexpr (fixed) __syncwarp();
  }
  if (lane == 0) *out = sums[0];
}

template <bool fixed>
bool run() {
  std::vector<int> values(32);
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += values[i] = i * i;
  hazard::Array<int> in(values), out(1);
  reduce_warp<fixed><<<1, 32>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([&](int) { return sum; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
