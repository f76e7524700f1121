// hazard: tensor-allocation
// options: --device b200,sms=4
// says: tcgen05.dealloc of 32 columns at lane 0, column 0: the block has allocated 0-63
// Half of the columns are given back.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  out[threadIdx.x] = sum;
  __syncthreads();
  if (warp() == 0) free_columns(base, fixed ? columns : columns / 2);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
