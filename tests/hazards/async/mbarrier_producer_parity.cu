// hazard: mbarrier-parity, deadlock
// The producer starts with parity 0: it waits for the slot to be released for the first time, but
// nobody releases a slot that was never filled. Slots start empty, so its first parity is 1.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32, rounds = 4, bytes = count * sizeof(int);

template <bool fixed>
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
      ptx::mbarrier_wait(&empty, (fixed ? i + 1 : i) & 1);
      ptx::mbarrier_arrive_expect(&full, bytes);
      ptx::bulk_load(slot, in + i * count, bytes, &full);
    }
  } else if (threadIdx.x >= 32) {
    const int lane = threadIdx.x - 32;
    for (int i = 0; i < rounds; ++i) {
      ptx::mbarrier_wait(&full, i & 1);
      out[i * count + lane] = slot[lane];
      ptx::mbarrier_arrive(&empty);
    }
  }
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(rounds * count)), out(rounds * count);
  pipeline<fixed><<<1, 64>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
