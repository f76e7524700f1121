// hazard: divergent-aligned, misuse, deadlock
// options: --device b200,sms=4
// tcgen05.ld in a branch that half of the warp takes.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  store(base, 0x41800000u);
  wait_stores();
  Row row{};
  if (fixed || threadIdx.x % 32 < 16) row = load(base);
  __syncwarp();
  wait_loads();
  out[threadIdx.x] = sum;
  if (row.values[0] == 1) out[0] = 1;
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
