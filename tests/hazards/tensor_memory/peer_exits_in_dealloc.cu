// hazard: early-exit
// options: --device b200,sms=4
// The blocks of a pair leave right behind their tcgen05.dealloc, in which the other one may
// still be.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start_pair(shared);
  out[blockIdx.x * threads + threadIdx.x] = sum;
  cluster_sync();
  if (warp() == 0) free_columns<2>(base);
  if (fixed) cluster_sync();
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
