// hazard: deadlock
// Threads beyond the end of the data leave before they arrive, and the barrier counts all of them:
// the phase never ends. They must arrive, or not be counted.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, valid = 50;

template <bool fixed>
__global__ void exchange(int* out) {
  __shared__ int tile[count];
  __shared__ std::uint64_t ready;
  if (threadIdx.x == 0) ptx::mbarrier_init(&ready, count);
  __syncthreads();
  if (threadIdx.x >= valid) {
    if (fixed) ptx::mbarrier_arrive(&ready);
    return;
  }
  tile[threadIdx.x] = hazard::number(threadIdx.x);
  ptx::mbarrier_arrive(&ready);
  ptx::mbarrier_wait(&ready, 0);
  out[threadIdx.x] = tile[valid - 1 - threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> out(valid);
  exchange<fixed><<<1, count>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return hazard::number(valid - 1 - i); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
