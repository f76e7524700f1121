// hazard: tensor-wait
// also: tensor-allocation
// options: --device b200,sms=4
// says: tcgen05.dealloc of columns 0-63
// says: tcgen05.st that writes columns 0-7, lanes
// The columns go back while a tcgen05.st is in flight: it writes into what the next block
// allocates.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  store(base, ones);
  if (fixed) wait_stores();
  finish(base);
  wait_stores();
  out[threadIdx.x] = sum;
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
