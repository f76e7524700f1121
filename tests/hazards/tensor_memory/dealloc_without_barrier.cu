// hazard: tensor-race, tensor-wait, tensor-allocation, tensor-commit
// options: --device b200,sms=4
// The warp that frees does not wait for the others, which still read.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: tensor-race
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0]);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  if (fixed) __syncthreads();
  if (warp() == 0) free_columns(base);
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
