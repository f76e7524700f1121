// hazard: global-race, bulk-wait, bulk-source
// Block 0 raises a flag for block 1 after wait_group.read: the bulk store may still be on its way
// to global memory. The release covers it only after wait_group without .read.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
__global__ void hand_over(int* scratch, std::uint32_t* flag, int* out) {
  __shared__ alignas(128) int staging[count];
  if (blockIdx.x == 0) {
    staging[threadIdx.x] = hazard::number(threadIdx.x);
    ptx::fence_async_shared();
    __syncthreads();
    if (threadIdx.x != 0) return;
    ptx::bulk_store(scratch, staging, sizeof staging);
    ptx::bulk_commit();
    if (fixed)
      ptx::bulk_wait<0>();
    else
      ptx::bulk_wait_read<0>();
    ptx::store_release(flag, 1);
    return;
  }
  if (threadIdx.x == 0)
    while (ptx::load_acquire(flag) == 0) {
    }
  __syncthreads();
  out[threadIdx.x] = scratch[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> scratch(count), out(count);
  const hazard::Array<std::uint32_t> flag(1);
  hand_over<fixed><<<2, count>>>(scratch.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
