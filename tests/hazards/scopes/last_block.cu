// hazard: global-race
// Each block writes a partial sum and counts itself; the last one adds them up. Without fences
// around the relaxed atomicAdd() the partial sums of the others need not be visible to it
// (programming guide, 'Memory Fence Functions').
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 32, blocks = 6;

template <bool fixed>
__global__ void sum(const int* in, int* partial, int* counter, int* out) {
  const int mine = __reduce_add_sync(0xffffffffu, in[blockIdx.x * threads + threadIdx.x]);
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = mine;
  if constexpr (fixed) __threadfence();
  if (atomicAdd(counter, 1) != blocks - 1) return;
  if constexpr (fixed) __threadfence();
  int all = 0;
  for (int block = 0; block < blocks; ++block) all += partial[block];
  *out = all;
}

template <bool fixed>
bool run() {
  std::vector<int> values(threads * blocks);
  int want = 0;
  for (int i = 0; i < threads * blocks; ++i) want += values[i] = i % 19;
  hazard::Array<int> in(values), partial(blocks), counter(1), out(1);
  sum<fixed><<<blocks, threads>>>(in.get(), partial.get(), counter.get(), out.get());
  hazard::finish();
  return out.holds([&](int) { return want; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
