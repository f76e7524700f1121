// hazard: early-exit
// options: --device b200,sms=4
// The blocks of a pair have met after their tcgen05.alloc and never since: one of them leaves
// behind tcgen05.dealloc while the other one may be anywhere.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start_pair(shared);
  out[blockIdx.x * threads + threadIdx.x] = sum;
  if (warp() == 0) free_columns<2>(base);
  if (fixed) cluster_sync();
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
