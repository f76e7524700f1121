// hazard: shared-race, mbarrier-phase, deadlock
// Producer and consumer warps share one slot and the producer does not wait for the empty barrier:
// it overwrites what is being read and ends phases that the consumer has not seen.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32, rounds = 4;

template <bool fixed>
__global__ void pipeline(int* out) {
  __shared__ int slot[count];
  __shared__ std::uint64_t full, empty;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, count);
    ptx::mbarrier_init(&empty, count);
  }
  __syncthreads();
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x < 32) {
      if (fixed) ptx::mbarrier_wait(&empty, ~i & 1);
      slot[lane] = hazard::number(i * count + lane);
      ptx::mbarrier_arrive(&full);
    } else {
      ptx::mbarrier_wait(&full, i & 1);
      out[i * count + count - 1 - lane] = slot[count - 1 - lane];
      ptx::mbarrier_arrive(&empty);
    }
  }
}

template <bool fixed>
bool run() {
  const hazard::Array<int> out(rounds * count);
  pipeline<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
