// hazard: tensor-race, tensor-wait, tensor-commit, deadlock
// also: mbarrier-phase
// options: --device b200,sms=4
// The thread that multiplies starts the next tile in the accumulator that the epilogue of this
// one still reads.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (warp() == 4) {
    if (threadIdx.x % 32 == 0)
      for (int tile = 0; tile < 2; ++tile) {
        if (fixed && tile != 0) wait_token(shared);
        product(base, shared.stage[0]);
        commit_done(shared);
        barrier_wait(shared_address(&shared.done), tile & 1);
      }
  } else {
    wait_done(shared);
    const Row row = load(base);
    wait_loads();
    arrive_token(shared);
    put(out, row);
    if (fixed) wait_done(shared, 1);
  }
  __syncthreads();
  if (warp() == 0) free_columns(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 1, 160);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
