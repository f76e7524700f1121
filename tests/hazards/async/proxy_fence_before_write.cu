// hazard: proxy-fence
// The writers execute fence.proxy.async, but ahead of their stores: a proxy fence orders only what
// comes before it in the thread.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 128;

template <bool fixed>
__global__ void store_tile(int* out) {
  __shared__ alignas(128) int tile[count];
  if (!fixed) ptx::fence_async_shared();
  tile[threadIdx.x] = hazard::number(threadIdx.x);
  if (fixed) ptx::fence_async_shared();
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
