// hazard: tensor-commit, deadlock
// also: early-exit, tensor-allocation
// options: --device b200,sms=4
// The wait for the commit has the parity of the phase before the first: it passes at once.
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
  wait_done(shared, fixed ? 0 : 1);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  if (fixed) wait_done(shared);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
