// hazard: tensor-commit
// options: --device b200,sms=4
// The commit is there, but nobody waits for its mbarrier: the accumulator is read while it is
// computed.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: tensor-commit
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0]);
    commit_done(shared);
  }
  if (fixed)
    wait_done(shared);
  else
    __syncthreads();
  const Row row = load(base);
  wait_loads();
  put(out, row);
  wait_done(shared);
  finish(base);
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
