// hazard: proxy-fence
// Threads write global memory, meet at a barrier, and one of them loads what they wrote with a bulk
// copy: it reads global memory through the async proxy and needs fence.proxy.async.global.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
__global__ void through_memory(int* scratch, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
  }
  scratch[threadIdx.x] = hazard::number(threadIdx.x);
  if (fixed) ptx::fence_async_global();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect(&full, sizeof tile);
    ptx::bulk_load(tile, scratch, sizeof tile, &full);
  }
  ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> scratch(count), out(count);
  through_memory<fixed><<<1, count>>>(scratch.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
