// hazard: shared-race
// Each thread fills its own two words. The loop that runs to <= instead of < also writes the first
// word of the next thread: two threads write one word, unordered (PTX memory model).
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, each = 2;

template <bool fixed>
__global__ void fill_own(int* out) {
  __shared__ int words[threads * each + 1];
  const int thread = threadIdx.x, count = fixed ? each : each + 1;
  for (int i = 0; i < count; ++i) words[thread * each + i] = thread * 10 + i;
  __syncthreads();
  for (int i = 0; i < each; ++i) out[i * threads + thread] = words[i * threads + thread];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(threads * each);
  fill_own<fixed><<<1, threads>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i / each * 10 + i % each; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
