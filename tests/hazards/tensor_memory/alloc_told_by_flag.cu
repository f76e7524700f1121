// hazard: tensor-race
// options: --device b200,sms=4
// Others hear of the allocation by a flag that is relaxed and has no fences: that it comes
// first is luck.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  __shared__ std::uint32_t ready;
  prepare(shared);
  if (one()) ready = 0;
  __syncthreads();
  if (warp() == 0) {
    allocate<1>(shared_address(&shared.base), columns);
    if (fixed) __threadfence_block();
    __syncwarp();
    if (one()) atomicExch_block(&ready, 1u);
  }
  while (atomicAdd_block(&ready, 0u) == 0) {
  }
  if (fixed) __threadfence_block();
  __syncwarp();
  store(0, ones);
  wait_stores();
  out[threadIdx.x] = sum;
  __syncthreads();
  if (warp() == 0) free_columns(0);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
