// hazard: tensor-operand, bulk-wait
// options: --device b200,sms=4
// A bulk copy refills the stage before the commit of the product that reads it was waited for.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared, 1);
  if (one()) {
    product(base, shared.stage[0]);
    commit_done(shared);
    if (fixed) barrier_wait(shared_address(&shared.done), 0);
    barrier_expect(shared_address(&shared.token), 512);
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, "
        "[%2];" ::"r"(shared_address(shared.stage[0].a)),
        "l"(out), "r"(shared_address(&shared.token))
        : "memory");
    wait_token(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  __syncthreads();
  put(out, row);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
