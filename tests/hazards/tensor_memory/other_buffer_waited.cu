// hazard: tensor-commit
// options: --device b200,sms=4
// Two accumulators with an mbarrier each: the first is waited for, the second is read.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared, 1);
  if (one()) {
    product(base, shared.stage[0]);
    commit_done(shared);
    product(base + other, shared.stage[0]);
    commit<1>(shared_address(&shared.token));
  }
  __syncthreads();
  wait_done(shared);
  if (fixed) wait_token(shared);
  __syncwarp();
  const Row row = load(base + other);
  wait_loads();
  put(out, row);
  wait_token(shared);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
