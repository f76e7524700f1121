// hazard: shared-race
// Threads of a block count into shared bins with a plain +=: a read and a write, and two threads of
// one bin lose a count. atomicAdd() does both as one (PTX memory model: morally strong, no race).
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 128, bins = 16;

template <bool fixed>
__global__ void count(const int* in, int* out) {
  __shared__ int counts[bins];
  if (threadIdx.x < bins) counts[threadIdx.x] = 0;
  __syncthreads();
  int* bin = counts + in[threadIdx.x];
  if constexpr (fixed)
    atomicAdd(bin, 1);
  else
    *bin += 1;
  __syncthreads();
  if (threadIdx.x < bins) out[threadIdx.x] = counts[threadIdx.x];
}

template <bool fixed>
bool run() {
  std::vector<int> values(threads), want(bins);
  for (int i = 0; i < threads; ++i) ++want[values[i] = i * 7 % 13];
  hazard::Array<int> in(values), out(bins);
  count<fixed><<<1, threads>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([&](int i) { return want[i]; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
