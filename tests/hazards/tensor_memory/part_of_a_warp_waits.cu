// hazard: divergent-aligned, misuse, deadlock
// options: --device b200,sms=4
// tcgen05.wait::ld in the branch of the lanes that use what was loaded.
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
  if (threadIdx.x % 32 < 16) {
    if (!fixed) wait_loads();
    put(out, row);
  } else {
    out[threadIdx.x] = sum;
  }
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
