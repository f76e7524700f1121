// hazard: proxy-fence
// A tile written by ordinary stores, a barrier, a bulk store of it. The bulk store reads shared
// memory through the async proxy: every writer needs fence.proxy.async before the barrier.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 128;

template <bool fixed>
// example begin: proxy-fence
__global__ void store_tile(int* out) {
  __shared__ alignas(128) int tile[count];
  tile[threadIdx.x] = hazard::number(threadIdx.x);
  if (fixed) ptx::fence_async_shared();
  __syncthreads();
  if (threadIdx.x != 0) return;
  ptx::bulk_store(out, tile, sizeof tile);
  ptx::bulk_commit();
  ptx::bulk_wait_read<0>();
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> out(count);
  store_tile<fixed><<<1, count>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
