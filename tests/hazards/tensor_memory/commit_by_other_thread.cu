// hazard: tensor-commit
// options: --device b200,sms=4
// A commit tracks what its own thread has issued: that of another warp arrives at once.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0]);
    if (fixed) commit_done(shared);
  }
  __syncthreads();
  if (!fixed && threadIdx.x == 32) commit_done(shared);
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  __syncthreads();
  if (one()) commit_done(shared);
  wait_done(shared, 1);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
