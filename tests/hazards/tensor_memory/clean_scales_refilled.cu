// hazard: none
// options: --device b200,sms=4
// Scales of the next stage are copied behind the products that read those of this one, into the
// same columns, as libraries do: the tensor core runs what a thread asks for in order.
#include "tests/hazards/tensor_memory/scales.cuh"

namespace {

using namespace tensor;

__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), scales = base + other;
  Operands& stage = fill_scaled(shared);

  if (one()) {
    for (int step = 0; step < 3; ++step) {
      copy_rows(scales, shared.stage[0].a);
      copy_rows(scales + 4, shared.stage[0].a);
      scaled(base, stage, scales, scales + 4, scaled_shape);
    }
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

bool run_clean() { return run(use, 2 * sum); }

const hazard::Program program(__FILE__, run_clean);

}  // namespace
