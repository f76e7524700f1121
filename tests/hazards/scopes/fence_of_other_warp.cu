// hazard: counter-fence
// says: behind the barrier and before that write
// One warp writes and executes __threadfence(). Behind a block barrier a thread of another warp,
// which has executed no fence at all, counts the block.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64;

template <bool fixed>
__global__ void pass_on(int* data, int* counter, int* out) {
  const int thread = static_cast<int>(threadIdx.x);
  if (blockIdx.x == 0) {
    if (thread >= 32) {
      data[thread - 32] = thread;
      __threadfence();
    }
    __syncthreads();
    if (thread == 0) {
      if constexpr (fixed) __threadfence();
      atomicAdd(counter, 1);
    }
    return;
  }
  if (thread == 0) {
    while (atomicAdd(counter, 0) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  if (thread < 32) out[thread] = data[thread];
}

template <bool fixed>
bool run() {
  hazard::Array<int> data(32), counter(1), out(32);
  pass_on<fixed><<<2, threads>>>(data.get(), counter.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i + 32; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
