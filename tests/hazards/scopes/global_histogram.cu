// hazard: global-race
// Blocks count into bins in global memory with a plain +=: two that meet in a bin lose counts.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, blocks = 4, bins = 8;

template <bool fixed>
__global__ void count(const int* in, int* counts) {
  int* bin = counts + in[blockIdx.x * threads + threadIdx.x];
  if constexpr (fixed)
    atomicAdd(bin, 1);
  else
    *bin += 1;
}

template <bool fixed>
bool run() {
  std::vector<int> values(threads * blocks), want(bins);
  for (int i = 0; i < threads * blocks; ++i) ++want[values[i] = i * 5 % 7];
  hazard::Array<int> in(values), counts(bins);
  count<fixed><<<blocks, threads>>>(in.get(), counts.get());
  hazard::finish();
  return counts.holds([&](int i) { return want[i]; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
