// hazard: tensor-pipeline
// options: --device b200,sms=4
// A product reads as A what the product before it writes. The manual orders the two for one
// accumulator, shape and kind only.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared, 1);
  if (one()) {
    product(base + other, shared.stage[0]);
    if (fixed) {
      commit<1>(shared_address(&shared.token));
      wait_token(shared);
    }
    product_of(base, base + other, shared.stage[0]);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base + other);
  wait_loads();
  put(out, row);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
