// hazard: mbarrier-transactions, bulk-wait, shared-race, deadlock, misuse
// also: early-exit
// The producer arrives without expect_tx: no bytes are expected, so its arrival alone ends the
// phase and the loaded bytes are counted against whatever phase is current when they come.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
__global__ void load_tile(const int* in, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
    if (fixed) ptx::mbarrier_expect(&full, sizeof tile);
    ptx::bulk_load(tile, in, sizeof tile, &full);
    ptx::mbarrier_arrive(&full);
  }
  __syncthreads();
  ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(count)), out(count);
  load_tile<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
