// hazard: copy-wait, shared-race
// Three stages, two tiles ahead, and cp.async.wait_group 2 where 1 is right: when a tile is read,
// its own copies may be among the two newest groups that the wait leaves alone.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, stages = 3, tiles = 7;

template <bool fixed>
__global__ void copy_tiles(const int* in, int* out) {
  __shared__ int slot[stages][count];
  const auto copy = [&](int tile) {
    if (tile < tiles)
      ptx::copy_async(&slot[tile % stages][threadIdx.x], in + tile * count + threadIdx.x);
    ptx::copy_commit();  // also when empty: the waits count groups
  };
  for (int tile = 0; tile < stages - 1; ++tile) copy(tile);
  for (int tile = 0; tile < tiles; ++tile) {
    ptx::copy_wait<fixed ? stages - 2 : stages - 1>();
    __syncthreads();
    out[tile * count + count - 1 - threadIdx.x] = slot[tile % stages][count - 1 - threadIdx.x];
    copy(tile + stages - 1);
  }
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(tiles * count)), out(tiles * count);
  copy_tiles<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
