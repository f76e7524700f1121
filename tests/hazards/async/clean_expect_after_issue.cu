// hazard: none
// The load is issued first and its bytes are expected by the arrival after it. The count may go
// below zero in between: the phase cannot end before that arrival, the only one it waits for.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, tiles = 4;

__global__ void load_tiles(const int* in, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  for (int i = 0; i < tiles; ++i) {
    if (threadIdx.x == 0) {
      ptx::bulk_load(tile, in + i * count, sizeof tile, &full);
      ptx::mbarrier_arrive_expect(&full, sizeof tile);
    }
    ptx::mbarrier_wait(&full, i & 1);
    out[i * count + threadIdx.x] = tile[threadIdx.x];
    __syncthreads();  // all have read: one thread may load again
  }
}

bool run() {
  const hazard::Array<int> in(hazard::numbers(tiles * count)), out(tiles * count);
  load_tiles<<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run);

}  // namespace
