// hazard: tensor-commit
// also: tensor-allocation
// options: --device b200,sms=4
// The columns go back while a product writes them: the next block gets its numbers.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0]);
    product(base + other, shared.stage[0]);
    commit_done(shared);
  }
  __syncthreads();
  if (fixed) wait_done(shared);
  out[threadIdx.x] = sum;
  finish(base);
  wait_done(shared);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
