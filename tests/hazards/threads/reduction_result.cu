// hazard: shared-race
// A tree over shared memory has a barrier in every turn but the last; then all warps read the
// result, which thread 0 has written with nothing to order the two.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 256;

template <bool fixed>
__global__ void reduce(const int* in, int* out) {
  __shared__ int sums[threads];
  const int thread = threadIdx.x;
  sums[thread] = in[thread];
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    if (fixed || half > 1) __syncthreads();
  }
  out[thread] = in[thread] - sums[0];
}

template <bool fixed>
bool run() {
  std::vector<int> values(threads);
  int sum = 0;
  for (int i = 0; i < threads; ++i) sum += values[i] = i * 11 % 17;
  hazard::Array<int> in(values), out(threads);
  reduce<fixed><<<1, threads>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([&](int i) { return values[i] - sum; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
