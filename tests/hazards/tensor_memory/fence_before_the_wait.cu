// hazard: tensor-wait, tensor-fence-block
// options: --device b200,sms=4
// tcgen05.fence::before_thread_sync stands in front of tcgen05.wait::ld: what is waited for
// behind it is not passed on by the relaxed arrival.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0]);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  if (!fixed) before_sync();
  wait_loads();
  if (fixed) before_sync();
  arrive_relaxed(shared);
  if (one()) {
    wait_relaxed(shared.token);
    after_sync();
    product(base, shared.stage[1]);
    commit_done(shared);
  }
  __syncwarp();
  put(out, row);
  wait_done(shared, 1);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
