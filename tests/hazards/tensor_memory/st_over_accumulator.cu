// hazard: tensor-commit
// options: --device b200,sms=4
// A warp clears the accumulator for the next tile while the product of this one adds to it.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0]);
    commit_done(shared);
  }
  __syncthreads();
  if (fixed) wait_done(shared);
  store(base, 0);
  wait_stores();
  if (!fixed) wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, 0);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
