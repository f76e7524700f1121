// hazard: cancel-fence
// options: --device b200,sms=4
// The next answer of try_cancel goes where the last one was read, without a fence between the
// proxies.
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
__device__ void wait_done_alone(Shared& shared, std::uint32_t parity) {
  barrier_wait(shared_address(&shared.done), parity);
}

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  __syncthreads();
  if (one()) {
    ask(shared);
    wait_done_alone(shared, 0);
    if (taken(shared)) {
      if (fixed) fence_for_async();
      ask(shared);
      wait_done_alone(shared, 1);
    }
    taken(shared);
  }
  out[threadIdx.x] = sum;
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 1, threads, 400);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
