// hazard: tensor-wait
// options: --device b200,sms=4
// says: reads the scales of A in column 3
// says: tcgen05.wait::st.sync.aligned by that warp
// Scales are written with tcgen05.st, and the product starts before tcgen05.wait::st.
#include "tests/hazards/tensor_memory/scales.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), scales = base + other;
  Operands& stage = fill_scaled(shared);

  store(scales, scale_ones);
  if (fixed) wait_stores();
  __syncthreads();
  if (one()) {
    scaled(base, stage, scales, scales + 4, scaled_shape);
    commit_done(shared);
  }
  wait_done(shared);
  wait_stores();
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
