// hazard: mbarrier-arrivals
// also: deadlock, mbarrier-phase
// says: lanes 0 and 1 of a warp complete a phase each
// options: --device b200,sms=4
// All lanes of the warp arrive at a barrier that was initialised for one elected lane.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: mbarrier-arrivals
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared, 1);
  store(base, ones);
  wait_stores();
  if (warp() == 1 && (!fixed || threadIdx.x % 32 == 0)) arrive_token(shared);
  __syncthreads();
  wait_token(shared);
  out[threadIdx.x] = sum;
  finish(base);
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
