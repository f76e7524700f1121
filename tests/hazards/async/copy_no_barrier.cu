// hazard: shared-race, copy-wait
// Each thread waits for its own copies and then reads another's: cp.async.wait_group speaks for the
// copies of the thread that executes it, the others' need a barrier after their waits.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
__global__ void copy_tile(const int* in, int* out) {
  __shared__ int tile[count];
  ptx::copy_async(&tile[threadIdx.x], in + threadIdx.x);
  ptx::copy_commit();
  ptx::copy_wait<0>();
  if (fixed) __syncthreads();
  out[threadIdx.x] = tile[count - 1 - threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(count)), out(count);
  copy_tile<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return hazard::number(count - 1 - i); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
