// hazard: tensor-wait
// options: --device b200,sms=4
// Only the first warp executes tcgen05.wait::ld before the barrier: it waits for its own loads,
// not for those of others.
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
  wait_done(shared);
  const Row row = load(base);
  if (fixed || warp() == 0) wait_loads();
  __syncthreads();
  if (one()) {
    product(base, shared.stage[1]);
    commit_done(shared);
  }
  __syncwarp();
  wait_loads();
  put(out, row);
  wait_done(shared, 1);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
