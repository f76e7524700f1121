// hazard: mbarrier-phase, deadlock
// Every round has its own slot, so no data is overwritten, but nothing keeps the producer from
// ending two phases while the consumer is at one: a wait that knows only parity then misses them.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32, rounds = 4;

template <bool fixed>
// example begin: mbarrier-phase
__global__ void announce(int* out) {
  __shared__ int slot[rounds][count];
  __shared__ std::uint64_t full, seen;
  __shared__ volatile int passed;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, count);
    ptx::mbarrier_init(&seen, count);
    passed = 0;
  }
  __syncthreads();
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x < 32) {
      slot[i][lane] = hazard::number(i * count + lane);
      if (fixed) ptx::mbarrier_wait(&seen, ~i & 1);
      while (passed < i) {  // orders nothing
      }
      ptx::mbarrier_arrive(&full);
    } else {
      ptx::mbarrier_wait(&full, i & 1);
      ptx::mbarrier_arrive(&seen);
      if (lane == 0) passed = i + 1;
      out[i * count + count - 1 - lane] = slot[i][count - 1 - lane];
    }
  }
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> out(rounds * count);
  announce<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
