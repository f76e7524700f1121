// hazard: store-at-exit, bulk-source
// The block ends when it has issued its bulk store: the shared memory that the store reads is given
// to the next block. wait_group.read must come before the end.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, blocks = 3;

template <bool fixed>
// example begin: store-at-exit
__global__ void store_tile(int* out) {
  __shared__ alignas(128) int staging[count];
  staging[threadIdx.x] = hazard::number(blockIdx.x * count + threadIdx.x);
  ptx::fence_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::bulk_store(out + blockIdx.x * count, staging, sizeof staging);
    ptx::bulk_commit();
    if (fixed) ptx::bulk_wait_read<0>();
  }
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> out(blocks * count);
  store_tile<fixed><<<blocks, count>>>(out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
