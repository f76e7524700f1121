// hazard: none
// An epilogue of two staging buffers: wait_group.read 1 leaves the newest store under way, so the
// older one has read the buffer that is written next. The writes to global memory need no wait.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 128, tiles = 6;

__global__ void store_tiles(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int staging[2][count];
  const bool storer = threadIdx.x / 32 == 0 && ptx::elect_one();
  for (int tile = 0; tile < tiles; ++tile) {
    if (storer) ptx::bulk_wait_read<1>();
    __syncthreads();
    staging[tile % 2][threadIdx.x] = hazard::number(tile * count + threadIdx.x);
    ptx::fence_async_shared();
    __syncthreads();
    if (storer) {
      ptx::tensor_store(&map, tile * count, staging[tile % 2]);
      ptx::bulk_commit();
    }
  }
  if (storer) ptx::bulk_wait_read<0>();
}

bool run() {
  const hazard::Array<int> out(tiles * count);
  store_tiles<<<1, count>>>(hazard::map_of(out.get(), tiles * count, count));
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run);

}  // namespace
