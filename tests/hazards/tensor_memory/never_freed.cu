// hazard: tensor-allocation
// options: --device b200,sms=4
// The block ends with its columns: the next one on the multiprocessor waits for them.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: tensor-allocation
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  out[threadIdx.x] = sum;
  if (fixed) finish(base);
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
