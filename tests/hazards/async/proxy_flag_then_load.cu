// hazard: proxy-fence
// Block 1 polls a flag, then bulk loads what block 0 wrote before it raised the flag. Acquire
// orders the generic proxy only: fence.proxy.async must stand between the flag and the load.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

template <bool fixed>
__global__ void hand_over(int* scratch, std::uint32_t* flag, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (blockIdx.x == 0) {
    scratch[threadIdx.x] = hazard::number(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) ptx::store_release(flag, 1);
    return;
  }
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
    while (ptx::load_acquire(flag) == 0) {
    }
    if (fixed) ptx::fence_async_global();
    ptx::mbarrier_arrive_expect(&full, sizeof tile);
    ptx::bulk_load(tile, scratch, sizeof tile, &full);
  }
  __syncthreads();
  ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> scratch(count), out(count);
  const hazard::Array<std::uint32_t> flag(1);
  hand_over<fixed><<<2, count>>>(scratch.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
