// hazard: copy-wait, shared-race
// Threads beyond the end of the data store zeros where others' cp.async, issued for whole rows, may
// still write: the stores must come after the copies' wait and a barrier.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, valid = 50;

template <bool fixed>
__global__ void copy_edge(const int* in, int* out) {
  __shared__ int tile[count];
  ptx::copy_async(&tile[count - 1 - threadIdx.x], in + count - 1 - threadIdx.x);
  ptx::copy_commit();
  if (fixed) {
    ptx::copy_wait<0>();
    __syncthreads();
  }
  if (threadIdx.x >= valid) tile[threadIdx.x] = 0;
  ptx::copy_wait<0>();
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(count)), out(count);
  copy_edge<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i < valid ? hazard::number(i) : 0; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
