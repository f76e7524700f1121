// hazard: bulk-source, shared-race
// Two staging buffers in turn, with wait_group.read 2 before one is reused: that leaves both stores
// under way, also the older one out of this buffer. With two buffers it is wait_group.read 1.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, tiles = 5;

template <bool fixed>
__global__ void store_tiles(int* out) {
  __shared__ alignas(128) int staging[2][count];
  for (int tile = 0; tile < tiles; ++tile) {
    if (threadIdx.x == 0) ptx::bulk_wait_read<fixed ? 1 : 2>();
    __syncthreads();
    int* const buffer = staging[tile % 2];
    buffer[threadIdx.x] = hazard::number(tile * count + threadIdx.x);
    ptx::fence_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::bulk_store(out + tile * count, buffer, count * sizeof(int));
      ptx::bulk_commit();
    }
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
