// hazard: proxy-fence
// As a bulk store, a tensor store reads shared memory through the async proxy: a warp writes its
// tile, __syncwarp, one lane stores it, and the fence.proxy.async of the writers is missing.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

template <bool fixed>
__global__ void store_tile(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[count];
  tile[threadIdx.x] = hazard::number(threadIdx.x);
  if (fixed) ptx::fence_async_shared();
  __syncwarp();
  if (ptx::elect_one()) {
    ptx::tensor_store(&map, 0, tile);
    ptx::bulk_commit();
    ptx::bulk_wait_read<0>();
  }
}

template <bool fixed>
bool run() {
  const hazard::Array<int> out(count);
  store_tile<fixed><<<1, count>>>(hazard::map_of(out.get(), count, count));
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
