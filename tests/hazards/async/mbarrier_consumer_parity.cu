// hazard: mbarrier-parity, bulk-wait, shared-race, mbarrier-phase, deadlock, mbarrier-arrivals
// The consumer starts with parity 1, which means the phase before the first one: its wait passes at
// once and it reads a slot that nothing has been loaded into.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32, rounds = 4, bytes = count * sizeof(int);

template <bool fixed>
// example begin: mbarrier-parity
__global__ void pipeline(const int* in, int* out) {
  __shared__ alignas(128) int slot[count];
  __shared__ std::uint64_t full, empty;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_init(&empty, count);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < rounds; ++i) {
      ptx::mbarrier_wait(&empty, ~i & 1);
      ptx::mbarrier_arrive_expect(&full, bytes);
      ptx::bulk_load(slot, in + i * count, bytes, &full);
    }
  } else if (threadIdx.x >= 32) {
    const int lane = threadIdx.x - 32;
    for (int i = 0; i < rounds; ++i) {
      ptx::mbarrier_wait(&full, (fixed ? i : i + 1) & 1);
      out[i * count + lane] = slot[lane];
      ptx::mbarrier_arrive(&empty);
    }
  }
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(rounds * count)), out(rounds * count);
  pipeline<fixed><<<1, 64>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
