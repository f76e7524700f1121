// hazard: none
// One buffer is loaded, changed by ordinary stores, stored and loaded again: the writers' fence
// lets the store see them, its wait_group.read lets the next load overwrite the buffer.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, tiles = 4;

__global__ void double_tiles(const int* in, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  for (int i = 0; i < tiles; ++i) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect(&full, sizeof tile);
      ptx::bulk_load(tile, in + i * count, sizeof tile, &full);
    }
    ptx::mbarrier_wait(&full, i & 1);
    tile[threadIdx.x] *= 2;
    ptx::fence_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::bulk_store(out + i * count, tile, sizeof tile);
      ptx::bulk_commit();
      ptx::bulk_wait_read<0>();
    }
  }
}

bool run() {
  const hazard::Array<int> in(hazard::numbers(tiles * count)), out(tiles * count);
  double_tiles<<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return 2 * hazard::number(i); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
