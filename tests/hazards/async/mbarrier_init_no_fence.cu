// hazard: mbarrier-init-fence, proxy-fence
// The thread that initialises an mbarrier hands it to a bulk load, which completes at it through
// the async proxy, without fence.mbarrier_init (or fence.proxy.async) after the initialisation.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
// example begin: mbarrier-init-fence
__global__ void load_tile(const int* in, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    if (fixed) ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect(&full, sizeof tile);
    ptx::bulk_load(tile, in, sizeof tile, &full);
  }
  ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
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
