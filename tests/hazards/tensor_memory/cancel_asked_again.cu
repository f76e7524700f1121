// hazard: cancel-again
// options: --device b200,sms=4
// The block has read that no cluster is left to take over, and asks once more.
#include "tests/hazards/tensor_memory/cancel.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: cancel-again
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  __syncthreads();
  if (one()) {
    for (int round = 0; round < 2; ++round) {
      ask(shared);
      wait_answer(shared, static_cast<std::uint32_t>(round));
      if (!taken(shared) && fixed) break;
      fence_for_async();
    }
  }
  out[threadIdx.x] = sum;
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
