// hazard: bulk-wait
// options: --device b200,sms=4
// The answer of try_cancel is read before the mbarrier at which it arrives was waited for.
#include "tests/hazards/tensor_memory/cancel.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  __syncthreads();
  if (one()) {
    ask(shared);
    if (fixed) wait_answer(shared, 0);
    out[0] = taken(shared) ? 0 : sum;
    wait_answer(shared, 0);
  }
  if (!one()) out[threadIdx.x] = sum;
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
