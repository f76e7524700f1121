// hazard: tensor-wait
// options: --device b200,sms=4
// says: tcgen05.mma that writes D in columns 0-31, lanes 0-127
// says: tcgen05.wait::ld.sync.aligned by that warp
// The epilogue gives the accumulator back while its tcgen05.ld is in flight; the next product
// overwrites it.
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
  if (fixed) wait_loads();
  arrive_token(shared);
  if (one()) {
    wait_token(shared);
    product(base, shared.stage[1]);
    commit_done(shared);
  }
  __syncwarp();
  wait_loads();
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
