// hazard: early-exit, bulk-wait
// The loop loads one tile ahead and leaves with the last load under way: the block's shared memory
// is given to another block while the copy still writes it. Every load must be waited for.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32, tiles = 4, bytes = count * sizeof(int);

template <bool fixed>
__global__ void prefetching(const int* in, int* out) {
  __shared__ alignas(128) int slot[2][count];
  __shared__ std::uint64_t full[2];
  if (threadIdx.x == 0) {
    for (auto& barrier : full) ptx::mbarrier_init(&barrier, 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const auto load = [&](int tile) {  // the one after the last: the last again
    if (threadIdx.x != 0) return;
    ptx::mbarrier_arrive_expect(&full[tile % 2], bytes);
    ptx::bulk_load(slot[tile % 2], in + min(tile, tiles - 1) * count, bytes, &full[tile % 2]);
  };
  load(0);
  for (int tile = 0; tile < tiles; ++tile) {
    load(tile + 1);
    ptx::mbarrier_wait(&full[tile % 2], tile / 2 & 1);
    out[tile * count + threadIdx.x] = slot[tile % 2][threadIdx.x];
    __syncthreads();
  }
  if (fixed) ptx::mbarrier_wait(&full[tiles % 2], tiles / 2 & 1);
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(tiles * count)), out(tiles * count);
  prefetching<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
