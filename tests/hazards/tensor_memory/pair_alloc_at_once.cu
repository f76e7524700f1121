// hazard: tensor-pair
// options: --device b200,sms=4
// A pair's tcgen05.alloc before a cluster barrier: the other block may not have started.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: tensor-pair
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  if (fixed) cluster_sync();
  if (warp() == 0) allocate<2>(shared_address(&shared.base), columns);
  cluster_sync();
  const std::uint32_t base = shared.base;
  out[blockIdx.x * threads + threadIdx.x] = sum;
  cluster_sync();
  if (warp() == 0) free_columns<2>(base);
  cluster_sync();
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
