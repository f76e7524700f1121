// hazard: tensor-fence-block
// options: --device b200,sms=4
// A is stored and waited for, and a relaxed arrival without a fence lets the product read it.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), a = base + other;
  store(a, ones);
  wait_stores();
  if (fixed) before_sync();
  arrive_relaxed(shared);
  if (one()) {
    wait_relaxed(shared.token);
    after_sync();
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
