// hazard: none
// options: --device b200,sms=4
// Scales and A are written in the first quarter of the lanes alone: the other rows of the sums are
// undefined, and no thread reads them.
#include "tests/hazards/tensor_memory/scales.cuh"

namespace {

using namespace tensor;

__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), scales = base + other, a = base + other + 16;
  Operands& stage = fill_scaled(shared);
  if (warp() == 0) {
    store(scales, scale_ones);
    store(scales + 8, scale_ones);
    store(a, ones);
    wait_stores();
  }
  __syncthreads();
  if (one()) {
    scaled(base, stage, scales, scales + 8, scaled_shape);
    commit_done(shared);
  }
  wait_done(shared);
  if (warp() == 0) {
    const Row row = load(base);
    wait_loads();
    put(out, row);
  }
  __syncthreads();
  if (one()) {
    product_of(base, a, stage);
    multiply_from(base, a, matrix(stage.b, n), shape, true);
    commit_done(shared);
  }
  wait_done(shared, 1);
  if (warp() == 0) {
    (void)load(base);
    wait_loads();
  } else {
    out[threadIdx.x] = 2 * sum;
  }
  finish(base);
}

bool run_side() { return run(use, 2 * sum); }

const hazard::Program program(__FILE__, run_side);

}  // namespace
