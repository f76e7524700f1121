// hazard: global-race
// The threads execute __threadfence() before they write, meet at a block barrier, and thread 0
// counts the block: no fence follows the writes.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, blocks = 4;

template <bool fixed>
__global__ void sum(int* partial, int* counter, int* out) {
  __shared__ bool last;
  const int thread = static_cast<int>(threadIdx.x);
  __threadfence();
  partial[blockIdx.x * threads + thread] = thread;
  __syncthreads();
  if (thread == 0) {
    if constexpr (fixed) __threadfence();
    last = atomicAdd(counter, 1) == blocks - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  int all = 0;
  for (int block = 0; block < blocks; ++block) all += partial[block * threads + (thread ^ 32)];
  out[thread] = all;
}

template <bool fixed>
bool run() {
  hazard::Array<int> partial(blocks * threads), counter(1), out(threads);
  sum<fixed><<<blocks, threads>>>(partial.get(), counter.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return blocks * (i ^ 32); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
