// hazard: none
// cuda::atomic_ref: a release store and an acquire load between blocks, a relaxed counter, and a
// shared flag at the scope of the block.
#include <cuda/atomic>

#include "tests/hazards/hazard.hpp"

namespace {

using OnDevice = cuda::atomic_ref<int, cuda::thread_scope_device>;
using InBlock = cuda::atomic_ref<int, cuda::thread_scope_block>;

__global__ void pass(int* data, int* flag, int* counter, int* out) {
  __shared__ int ready, word;
  const int thread = threadIdx.x;
  if (thread == 0) ready = 0;
  __syncthreads();
  OnDevice(*counter).fetch_add(1, cuda::memory_order_relaxed);
  if (thread == 0 && blockIdx.x == 0) {
    *data = 31;
    OnDevice(*flag).store(1, cuda::memory_order_release);
  }
  if (thread == 0) {
    while (OnDevice(*flag).load(cuda::memory_order_acquire) == 0) {
    }
    word = *data + 1;
    InBlock(ready).store(1, cuda::memory_order_release);
  } else {
    while (InBlock(ready).load(cuda::memory_order_acquire) == 0) {
    }
  }
  out[blockIdx.x * 64 + thread] = word;
}

bool run() {
  hazard::Array<int> data(1), flag(1), counter(1), out(192);
  pass<<<3, 64>>>(data.get(), flag.get(), counter.get(), out.get());
  hazard::finish();
  return counter.holds([](int) { return 192; }) && out.holds([](int) { return 32; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
