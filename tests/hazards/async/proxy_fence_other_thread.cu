// hazard: proxy-fence
// Only the thread that issues the bulk store executes fence.proxy.async, ahead of the barrier: it
// covers its own stores, not those of the other threads, which reach it only at the barrier.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 128;

template <bool fixed>
__global__ void store_tile(int* out) {
  __shared__ alignas(128) int tile[count];
  tile[threadIdx.x] = hazard::number(threadIdx.x);
  if (fixed || threadIdx.x == 0) ptx::fence_async_shared();
  __syncthreads();
  if (threadIdx.x != 0) return;
  ptx::bulk_store(out, tile, sizeof tile);
  ptx::bulk_commit();
  ptx::bulk_wait_read<0>();
}

template <bool fixed>
bool run() {
  const hazard::Array<int> out(count);
  store_tile<fixed><<<1, count>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
