// hazard: counter-fence
// says: behind the barrier and before that write
// All threads of a block write and execute __threadfence(), meet at a block barrier, and thread 0
// counts the block. Its own fence comes before the barrier, so that it releases only what it wrote
// itself; the other threads' fences belong to no write of theirs.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, blocks = 4;

template <bool fixed>
__global__ void sum(int* partial, int* counter, int* out) {
  __shared__ bool last;
  const int thread = static_cast<int>(threadIdx.x);
  for (int turn = 0; turn < 2; ++turn) {  // the second time after loads, which the acquire forgives
    partial[blockIdx.x * threads + thread] = thread + turn;
    __threadfence();
    __syncthreads();
    if (thread == 0) {
      if constexpr (fixed) __threadfence();
      const int before = atomicAdd(counter, 1);
      last = before == (turn + 1) * blocks - 1;
      while (atomicAdd(counter, 0) < (turn + 1) * blocks) {
      }
      __threadfence();
    }
    __syncthreads();
    int all = 0;
    for (int block = 0; block < blocks; ++block) all += partial[block * threads + (thread ^ 32)];
    if (last) out[turn * threads + thread] = all;
    __syncthreads();
    // The next turn begins when all blocks have read.
    if (thread == 0) {
      __threadfence();
      atomicAdd(counter + 1, 1);
      while (atomicAdd(counter + 1, 0) < (turn + 1) * blocks) {
      }
      __threadfence();
    }
    __syncthreads();
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> partial(blocks * threads), counter(2), out(2 * threads);
  sum<fixed><<<blocks, threads>>>(partial.get(), counter.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return blocks * ((i % threads ^ 32) + i / threads); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
