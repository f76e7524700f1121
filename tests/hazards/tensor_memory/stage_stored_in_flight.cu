// hazard: tensor-operand, shared-race
// also: proxy-fence
// options: --device b200,sms=4
// The stage is filled again by stores before the commit of the product that reads it was waited
// for.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: tensor-operand
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0]);
    commit_done(shared);
  }
  __syncthreads();
  if (fixed) wait_done(shared);
  fill(shared.stage[0], 0);
  if (!fixed) wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
