// hazard: divergent-aligned, misuse, deadlock
// options: --device b200,sms=4
// tcgen05.alloc by the one lane that initialises the barriers, and not by its whole warp.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  if (fixed ? warp() == 0 : one()) allocate<1>(shared_address(&shared.base), columns);
  __syncthreads();
  const std::uint32_t base = shared.base;
  store(base, 0x41800000u);
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
