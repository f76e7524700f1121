// hazard: bulk-wait, shared-race
// Two loads, each with its own barrier, and readers of the second that wait for the first's: loads
// complete in any order, a barrier speaks only for the bytes that it counts.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32, stages = 2, bytes = count * sizeof(int);

template <bool fixed>
__global__ void load_stages(const int* in, int* out) {
  __shared__ alignas(128) int slot[stages][count];
  __shared__ std::uint64_t full[stages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) ptx::mbarrier_init(&full[i], 1);
    ptx::fence_mbarrier_init();
    for (int i = 0; i < stages; ++i) {
      ptx::mbarrier_arrive_expect(&full[i], bytes);
      ptx::bulk_load(slot[i], in + i * count, bytes, &full[i]);
    }
  }
  __syncthreads();
  for (int i = 0; i < stages; ++i) {
    ptx::mbarrier_wait(&full[fixed ? i : 0], 0);
    out[i * count + threadIdx.x] = slot[i][threadIdx.x];
  }
  if (!fixed) ptx::mbarrier_wait(&full[1], 0);
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(stages * count)), out(stages * count);
  load_stages<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
