// hazard: copy-wait
// roots: 1
// A pipeline of cp.async without its cp.async.wait_group: tiles are read while they come, and their
// buffers are filled again while the copies into them are in flight.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, stages = 3, tiles = 9;

template <bool fixed>
__global__ void copy_tiles(const int* in, int* out) {
  __shared__ int slot[stages][count];
  const auto copy = [&](int tile) {
    if (tile < tiles)
      ptx::copy_async(&slot[tile % stages][threadIdx.x], in + tile * count + threadIdx.x);
    ptx::copy_commit();
  };
  for (int tile = 0; tile < stages - 1; ++tile) copy(tile);
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    if (fixed) ptx::copy_wait<stages - 2>();
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
