// hazard: mbarrier-transactions, bulk-wait, shared-race, deadlock, misuse
// also: early-exit
// Two loads complete at a barrier that expects the bytes of one: the phase may end when the first
// one is there, and the second is counted against the next phase.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, half = count / 2 * sizeof(int);

template <bool fixed>
__global__ void load_halves(const int* in, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(&full, fixed ? 2 * half : half);
    ptx::bulk_load(tile, in, half, &full);
    ptx::bulk_load(tile + count / 2, in + count / 2, half, &full);
  }
  __syncthreads();
  ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(count)), out(count);
  load_halves<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
