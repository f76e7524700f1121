// hazard: bulk-source, shared-race, early-exit
// also: store-at-exit
// The bulk store is never committed: wait_group covers committed groups only, so it waits for
// nothing and the staging buffer is overwritten while the store may still read it.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, tiles = 3;

template <bool fixed>
__global__ void store_tiles(int* out) {
  __shared__ alignas(128) int staging[count];
  for (int tile = 0; tile < tiles; ++tile) {
    staging[threadIdx.x] = hazard::number(tile * count + threadIdx.x);
    ptx::fence_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::bulk_store(out + tile * count, staging, sizeof staging);
      if (fixed) ptx::bulk_commit();
      ptx::bulk_wait_read<0>();
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) ptx::bulk_wait_read<0>();
}

template <bool fixed>
bool run() {
  const hazard::Array<int> out(tiles * count);
  store_tiles<fixed><<<1, count>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
