// hazard: tensor-allocation
// options: --device b200,sms=4
// The address given back is that of the second accumulator, not the one that tcgen05.alloc
// gave.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  out[threadIdx.x] = sum;
  __syncthreads();
  if (warp() == 0) free_columns(fixed ? base : base + other);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
