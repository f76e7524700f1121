// hazard: bulk-wait, shared-race
// Threads read the tile after a barrier with the thread that issued the bulk load, and wait for its
// mbarrier only later: the barrier says that the load was issued, not that it has arrived.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
// example begin: bulk-wait
__global__ void load_tile(const int* in, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(&full, sizeof tile);
    ptx::bulk_load(tile, in, sizeof tile, &full);
  }
  __syncthreads();
  if (fixed) ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
  if (!fixed) ptx::mbarrier_wait(&full, 0);
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(count)), out(count);
  load_tile<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
