// hazard: tensor-wait
// options: --device b200,sms=4
// tcgen05.wait::ld behind a tcgen05.st waits for nothing.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), a = base + other;
  store(a, ones);
  if (fixed)
    wait_stores();
  else
    wait_loads();
  __syncthreads();
  if (one()) {
    product_of(base, a, shared.stage[0]);
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
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
