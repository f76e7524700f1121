// hazard: cancel-fence
// options: --device b200,sms=4
// The next answer of try_cancel goes where the last one was read, without a fence between the
// proxies.
#include "tests/hazards/tensor_memory/cancel.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: cancel-fence
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  __syncthreads();
  if (one()) {
    ask(shared);
    wait_answer(shared, 0);
    if (taken(shared)) {
      if (fixed) fence_for_async();
      ask(shared);
      wait_answer(shared, 1);
    }
    taken(shared);
  }
  out[threadIdx.x] = sum;
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 1, threads, 400);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
