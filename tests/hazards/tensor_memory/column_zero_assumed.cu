// hazard: tensor-race, tensor-allocation
// options: --device b200,sms=4
// The first allocation begins at column 0, and that is relied on without a barrier behind
// tcgen05.alloc.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  if (warp() == 0) allocate<1>(shared_address(&shared.base), columns);
  if (fixed) __syncthreads();
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
