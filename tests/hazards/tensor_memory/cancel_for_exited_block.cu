// hazard: early-exit
// options: --device b200,sms=4
// One block asks for all of the cluster; the other has left, or leaves, before the answer comes.
#include "tests/hazards/tensor_memory/cancel.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  if (one()) barrier_expect(shared_address(&shared.done), 16);
  cluster_sync();
  if (cluster_rank() == 0 && one()) ask_for_all(shared);
  out[blockIdx.x * threads + threadIdx.x] = sum;
  if (cluster_rank() == 0 || fixed) wait_answer(shared, 0);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
