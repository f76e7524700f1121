// hazard: global-race
// Thread 0 of the reading block waits for the flag with acquire; the others read the data without
// a barrier behind that wait: they have acquired nothing.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int threads = 64;

template <bool fixed>
__global__ void pass(int* data, std::uint32_t* flag, int* out) {
  const int thread = threadIdx.x;
  if (blockIdx.x == 0) {
    data[thread] = thread + 8;
    __syncthreads();
    if (thread == 0) ptx::store_release(flag, 1);
  } else {
    if (thread == 0) {
      while (ptx::load_acquire(flag) == 0) {
      }
    }
    if constexpr (fixed) __syncthreads();
    out[thread] = data[threads - 1 - thread];
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> data(threads), out(threads);
  hazard::Array<std::uint32_t> flag(1);
  pass<fixed><<<2, threads>>>(data.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return threads - 1 - i + 8; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
