// hazard: tensor-wait
// options: --device b200,sms=4
// A warp reads back what it has stored to tensor memory without tcgen05.wait::st between.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: tensor-wait
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  store(base, 0x41800000u);
  if (fixed) wait_stores();
  const Row row = load(base);
  wait_loads();
  wait_stores();
  put(out, row);
  finish(base);
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
