// hazard: tensor-allocation
// options: --device b200,sms=4
// says: before it gives up the permit
// A second allocation behind tcgen05.relinquish_alloc_permit.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  out[threadIdx.x] = sum;
  if (warp() == 0) {
    if (!fixed) asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    allocate<1>(shared_address(&shared.second), 32);
    if (fixed) asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    __syncwarp();
    free_columns(shared.second, 32);
  }
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
