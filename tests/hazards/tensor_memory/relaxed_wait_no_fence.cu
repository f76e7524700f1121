// hazard: tensor-fence-block
// also: mbarrier-phase
// options: --device b200,sms=4
// The arrivals are fenced, but the relaxed wait before the next product has no
// tcgen05.fence::after_thread_sync.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: tensor-fence-block
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0]);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  before_sync();
  arrive_relaxed(shared);
  if (one()) {
    wait_relaxed(shared.token);
    if (fixed) after_sync();
    product(base, shared.stage[1]);
    commit_done(shared);
  }
  __syncwarp();
  put(out, row);
  wait_done(shared, 1);
  finish(base);
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
