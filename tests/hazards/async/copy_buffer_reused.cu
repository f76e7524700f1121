// hazard: copy-wait, shared-race
// One buffer for all tiles, and no barrier between the reads of one tile and the copies of the
// next: a fast thread's cp.async overwrites what another one has not read yet.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, tiles = 3;

template <bool fixed>
__global__ void copy_tiles(const int* in, int* out) {
  __shared__ int slot[count];
  for (int tile = 0; tile < tiles; ++tile) {
    ptx::copy_async(&slot[threadIdx.x], in + tile * count + threadIdx.x);
    ptx::copy_commit();
    ptx::copy_wait<0>();
    __syncthreads();
    out[tile * count + count - 1 - threadIdx.x] = slot[count - 1 - threadIdx.x];
    if (fixed) __syncthreads();
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
