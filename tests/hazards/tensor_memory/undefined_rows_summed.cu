// hazard: tensor-unwritten
// options: --device b200,sms=4
// says: A in columns 32-39, lanes 32-127
// says: tcgen05.ld reads columns 0-7
// A is written in the first quarter alone. The next product adds to the sum what is defined; the
// rows stay undefined, and are read.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), a = base + other;
  if (fixed || warp() == 0) {
    store(a, ones);
    wait_stores();
  }
  __syncthreads();
  if (one()) {
    product_of(base, a, shared.stage[0]);
    product(base, shared.stage[0], true);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, 2 * sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
