// hazard: tensor-pair
// options: --device b200,sms=4
// Nothing between a pair's tcgen05.alloc and its dealloc says that the other block has its
// columns.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  cluster_sync();
  if (warp() == 0) allocate<2>(shared_address(&shared.base), columns);
  __syncthreads();
  out[blockIdx.x * threads + threadIdx.x] = sum;
  if (fixed) cluster_sync();
  if (warp() == 0) free_columns<2>(shared.base);
  cluster_sync();
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
