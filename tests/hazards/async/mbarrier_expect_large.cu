// hazard: mbarrier-transactions, deadlock
// The barrier expects a whole tile while the load at the edge brings fewer bytes: the rest never
// arrives, the phase never ends and everybody waits for ever.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, valid = 48;

template <bool fixed>
// example begin: mbarrier-transactions
__global__ void load_edge(const int* in, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(&full, (fixed ? valid : count) * sizeof(int));
    ptx::bulk_load(tile, in, valid * sizeof(int), &full);
  }
  __syncthreads();
  ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x] = threadIdx.x < valid ? tile[threadIdx.x] : 0;
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(valid)), out(count);
  load_edge<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i < valid ? hazard::number(i) : 0; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
