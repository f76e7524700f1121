// hazard: early-exit
// options: --device b200,sms=4
// A block leaves while the leader's commit is still to arrive at its mbarrier.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start_pair(shared);
  if (warp() == 0) free_columns<2>(base);
  cluster_sync();
  if (cluster_rank() == 0 && one()) commit<2>(shared_address(&shared.done));
  out[blockIdx.x * threads + threadIdx.x] = sum;
  if (cluster_rank() == 0 || fixed) wait_done(shared);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
