// hazard: global-race
// All threads of a block write, thread 0 sets the flag with release. It releases its own writes and
// those ordered before it: without __syncthreads() not those of the other threads.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int threads = 64;

template <bool fixed>
__global__ void pass(int* data, std::uint32_t* flag, int* out) {
  const int thread = threadIdx.x;
  if (blockIdx.x == 0) {
    data[thread] = thread + 9;
    if constexpr (fixed) __syncthreads();
    if (thread == 0) ptx::store_release(flag, 1);
  } else {
    while (ptx::load_acquire(flag) == 0) {
    }
    out[thread] = data[threads - 1 - thread];
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> data(threads), out(threads);
  hazard::Array<std::uint32_t> flag(1);
  pass<fixed><<<2, threads>>>(data.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return threads - 1 - i + 9; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
