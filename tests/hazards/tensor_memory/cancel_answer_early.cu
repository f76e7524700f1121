// hazard: bulk-wait
// options: --device b200,sms=4
// The answer of try_cancel is read before the mbarrier at which it arrives was waited for.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

__device__ void ask(Shared& shared) {
  barrier_expect(shared_address(&shared.done), 16);
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128"
      " [%0], [%1];" ::"r"(shared_address(shared.stage[0].a)),
      "r"(shared_address(&shared.done))
      : "memory");
}
__device__ bool taken(Shared& shared) {
  std::uint32_t was = 0;
  asm volatile(
      "{ .reg .pred p; .reg .b128 handle; ld.shared::cta.b128 handle, [%1];"
      " clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, handle;"
      " selp.u32 %0, 1, 0, p; }"
      : "=r"(was)
      : "r"(shared_address(shared.stage[0].a))
      : "memory");
  return was != 0;
}
__device__ void wait_done_alone(Shared& shared) { barrier_wait(shared_address(&shared.done), 0); }

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  __syncthreads();
  if (one()) {
    ask(shared);
    if (fixed) wait_done_alone(shared);
    out[0] = taken(shared) ? 0 : sum;
    wait_done_alone(shared);
  }
  if (!one()) out[threadIdx.x] = sum;
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
