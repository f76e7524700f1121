// hazard: tensor-commit
// options: --device b200,sms=4
// A stands in tensor memory and is written again before the product that reads it is done.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), a = base + other;
  store(a, ones);
  wait_stores();
  __syncthreads();
  if (one()) {
    product_of(base, a, shared.stage[0]);
    commit_done(shared);
  }
  __syncthreads();
  if (fixed) wait_done(shared);
  store(a, 0);
  wait_stores();
  if (!fixed) wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
