// hazard: copy-wait, shared-race
// A thread reads what its own cp.async copies before cp.async.wait_group: program order does not
// order a thread's asynchronous copies before its reads.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
// example begin: copy-wait
__global__ void copy_tile(const int* in, int* out) {
  __shared__ int tile[count];
  ptx::copy_async(&tile[threadIdx.x], in + threadIdx.x);
  ptx::copy_commit();
  if (fixed) ptx::copy_wait<0>();
  out[threadIdx.x] = tile[threadIdx.x];
  if (!fixed) ptx::copy_wait<0>();
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(count)), out(count);
  copy_tile<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
