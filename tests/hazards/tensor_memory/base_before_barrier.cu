// hazard: shared-race
// also: tensor-race, tensor-allocation
// options: --device b200,sms=4
// tcgen05.alloc stores the base as an ordinary store of its warp: others read it before the
// barrier.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  if (warp() == 0) allocate<1>(shared_address(&shared.base), columns);
  if (fixed) __syncthreads();
  const std::uint32_t base = shared.base;
  __syncthreads();
  store(base, ones);
  wait_stores();
  out[threadIdx.x] = sum;
  __syncthreads();
  if (warp() == 0) free_columns(shared.base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
