// hazard: tensor-unwritten
// options: --device b200,sms=4
// says: the scales of A in column 33, lanes 32-63
// A sum whose scales are undefined in part is A of the next product, whose result is read.
#include "tests/hazards/tensor_memory/scales.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared, 1), scales = base + other, result = base + 16;
  Operands& stage = fill_scaled(shared);
  if (one()) copy_rows(scales + 8, shared.stage[0].a);
  if (fixed && one()) copy_rows(scales, shared.stage[0].a);
  if (!fixed && warp() == 0) {
    store(scales, scale_ones);
    wait_stores();
  }
  __syncthreads();
  if (one()) {
    scaled(base, stage, scales, scales + 8, scaled_shape);
    commit<1>(shared_address(&shared.token));
    wait_token(shared);
    product_of(result, base, stage);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(result);
  wait_loads();
  out[threadIdx.x] = sum + 0 * static_cast<float>(row.values[0] & 1);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
