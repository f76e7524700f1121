// hazard: bulk-source, shared-race
// The staging buffer is written again when the bulk store out of it has only been issued: its
// source may be reused after cp.async.bulk.wait_group.read by the thread that committed it.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, tiles = 3;

template <bool fixed>
// example begin: bulk-source
__global__ void store_tiles(int* out) {
  __shared__ alignas(128) int staging[count];
  for (int tile = 0; tile < tiles; ++tile) {
    staging[threadIdx.x] = hazard::number(tile * count + threadIdx.x);
    ptx::fence_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::bulk_store(out + tile * count, staging, sizeof staging);
      ptx::bulk_commit();
      if (fixed) ptx::bulk_wait_read<0>();
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) ptx::bulk_wait_read<0>();
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> out(tiles * count);
  store_tiles<fixed><<<1, count>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
