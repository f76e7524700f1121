// hazard: tensor-commit
// follows: tensor-operand, mbarrier-phase, tensor-race, shared-race, early-exit, tensor-allocation
// roots: 1
// options: --device b200,sms=4
// A pipeline of tcgen05.mma, commit and ld without the wait for the commit: the accumulator is read
// early, operands are overwritten and columns are given back while the product is in flight.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    if (one()) {
      product(base, shared.stage[0]);
      commit_done(shared);
    }
    if (fixed) wait_done(shared, round & 1);
    const Row row = load(base);
    wait_loads();
    put(out, row);
    __syncthreads();
    fill(shared.stage[0], ones);
    fence_for_async();
    __syncthreads();
  }
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
