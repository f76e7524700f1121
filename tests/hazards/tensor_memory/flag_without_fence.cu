// hazard: tensor-race
// options: --device b200,sms=4
// The warps that read count themselves with relaxed atomics, and the one that frees polls the
// count: without fences nothing is ordered by it.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  __shared__ std::uint32_t readers;
  if (one()) {
    readers = 0;
    product(base, shared.stage[0]);
    commit_done(shared);
  }
  __syncthreads();
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  if (fixed) __threadfence_block();
  __syncwarp();
  if (threadIdx.x % 32 == 0) atomicAdd_block(&readers, 1);
  if (warp() == 0) {
    while (atomicAdd_block(&readers, 0) != threads / 32) {
    }
    if (fixed) __threadfence_block();
    __syncwarp();
    free_columns(base);
  }
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
