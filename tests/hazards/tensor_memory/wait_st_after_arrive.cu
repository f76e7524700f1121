// hazard: tensor-wait
// also: tensor-race
// options: --device b200,sms=4
// tcgen05.wait::st stands behind the arrival that lets the product start.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), a = base + other;
  store(a, ones);
  if (fixed) wait_stores();
  arrive_token(shared);
  if (!fixed) wait_stores();
  if (one()) {
    wait_token(shared);
    product_of(base, a, shared.stage[0]);
    commit_done(shared);
  }
  __syncwarp();
  wait_done(shared);
  const Row row = load(base);
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
