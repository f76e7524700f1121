// hazard: deadlock
// also: divergent-aligned
// options: --device b200,sms=4
// One block gives back before a cluster barrier and the other one behind it: each waits for the
// other.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start_pair(shared);
  out[blockIdx.x * threads + threadIdx.x] = sum;
  const bool early = fixed || cluster_rank() == 0;
  if (early && warp() == 0) free_columns<2>(base);
  cluster_sync();
  if (!early && warp() == 0) free_columns<2>(base);
  cluster_sync();
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
