// hazard: bulk-wait, shared-race, mbarrier-phase, deadlock, mbarrier-arrivals
// A ring of two slots whose producer does not wait for a slot to be empty: from the third step on
// it reloads slots that their readers have not released.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32, stages = 2, steps = 6, bytes = count * sizeof(int);

template <bool fixed>
__global__ void pipeline(const int* in, int* out) {
  __shared__ alignas(128) int slot[stages][count];
  __shared__ std::uint64_t full[stages], empty[stages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) {
      ptx::mbarrier_init(&full[i], 1);
      ptx::mbarrier_init(&empty[i], count);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const int lane = threadIdx.x - 32;
  for (int step = 0; step < steps && (threadIdx.x == 0 || lane >= 0); ++step) {
    const int at = step % stages, round = step / stages;
    if (threadIdx.x == 0) {
      if (fixed) ptx::mbarrier_wait(&empty[at], ~round & 1);
      ptx::mbarrier_arrive_expect(&full[at], bytes);
      ptx::bulk_load(slot[at], in + step * count, bytes, &full[at]);
    } else {
      ptx::mbarrier_wait(&full[at], round & 1);
      out[step * count + lane] = slot[at][lane];
      ptx::mbarrier_arrive(&empty[at]);
    }
  }
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(steps * count)), out(steps * count);
  pipeline<fixed><<<1, 64>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
