// hazard: tensor-allocation
// options: --device b200,sms=4
// A later allocation of the block asks for more columns than the one before.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  out[threadIdx.x] = sum;
  if (warp() == 0) {
    const int more = fixed ? columns : 2 * columns;
    allocate<1>(shared_address(&shared.second), more);
    __syncwarp();
    free_columns(shared.second, more);
  }
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
