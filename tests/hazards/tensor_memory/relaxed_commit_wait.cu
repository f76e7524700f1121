// hazard: tensor-fence-block
// options: --device b200,sms=4
// The wait for the commit is relaxed, and tcgen05.fence::after_thread_sync is missing before
// the accumulator is read.
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
  wait_relaxed(shared.done);
  __syncwarp();
  if (fixed) after_sync();
  const Row row = load(base);
  wait_loads();
  put(out, row);
  wait_done(shared);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
