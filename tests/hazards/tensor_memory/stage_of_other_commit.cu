// hazard: tensor-operand, shared-race
// also: proxy-fence
// options: --device b200,sms=4
// Two stages with a commit each: the second is filled again when the first one is free.
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
    product(base, shared.stage[1], true);
    commit<1>(shared_address(&shared.token));
  }
  __syncthreads();
  wait_done(shared);
  if (fixed) wait_token(shared);
  fill(shared.stage[1], 0);
  wait_token(shared);
  __syncwarp();
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, 3 * sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
