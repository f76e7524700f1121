// hazard: none
// options: --uninitialised
// The last block sums what all have written: a block barrier, then one thread fences, counts and
// fences again, then a block barrier hands on what it has acquired.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, blocks = 5;

__global__ void sum(int* partial, int* counter, int* out) {
  __shared__ bool last;
  partial[blockIdx.x * threads + threadIdx.x] = static_cast<int>(blockIdx.x + threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(counter, 1) == blocks - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  int all = 0;
  for (int block = 0; block < blocks; ++block)
    all += partial[block * threads + threads - 1 - threadIdx.x];
  out[threadIdx.x] = all;
}

bool run() {
  hazard::Array<int> partial(threads * blocks), counter(1), out(threads);
  sum<<<blocks, threads>>>(partial.get(), counter.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return 10 + blocks * (threads - 1 - i); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
