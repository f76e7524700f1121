// hazard: copy-wait, shared-race
// The copies are never committed: cp.async.wait_group 0 waits for the committed groups, of which
// there is none, and the reads come before the data.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
__global__ void copy_tile(const int* in, int* out) {
  __shared__ int tile[count];
  ptx::copy_async(&tile[threadIdx.x], in + threadIdx.x);
  if (fixed) ptx::copy_commit();
  ptx::copy_wait<0>();
  out[threadIdx.x] = tile[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(count)), out(count);
  copy_tile<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
