// hazard: global-race, bulk-wait, bulk-source
// Threads read back what a bulk store wrote after wait_group.read, which says that the source was
// read and nothing about the destination. Only wait_group without .read makes the writes visible.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
__global__ void through_memory(int* scratch, int* out) {
  __shared__ alignas(128) int staging[count];
  staging[threadIdx.x] = hazard::number(threadIdx.x);
  ptx::fence_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::bulk_store(scratch, staging, sizeof staging);
    ptx::bulk_commit();
    if (fixed)
      ptx::bulk_wait<0>();
    else
      ptx::bulk_wait_read<0>();
  }
  __syncthreads();
  out[threadIdx.x] = scratch[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> scratch(count), out(count);
  through_memory<fixed><<<1, count>>>(scratch.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
