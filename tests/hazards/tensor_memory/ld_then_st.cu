// hazard: tensor-wait
// options: --device b200,sms=4
// A warp stores over cells that its tcgen05.ld has not been waited for.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  store(base, 0x41800000u);
  wait_stores();
  const Row row = load(base);
  if (fixed) wait_loads();
  store(base, 0);
  wait_stores();
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
