// hazard: tensor-unwritten
// options: --device b200,sms=4
// says: the scales of A in column 33, lanes 32-63
// The scales stand in the first lanes only: every quarter of the accumulator reads its own
// copy.
#include "tests/hazards/tensor_memory/scales.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), scales = base + other;
  Operands& stage = fill_scaled(shared);

  if (fixed) {
    if (one()) {
      copy_rows(scales, shared.stage[0].a);
      copy_rows(scales + 4, shared.stage[0].a);
    }
  } else if (warp() == 0) {
    store(scales, scale_ones);
    wait_stores();
  }
  __syncthreads();
  if (one()) {
    scaled(base, stage, scales, scales + 4, scaled_shape);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, 2 * sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
