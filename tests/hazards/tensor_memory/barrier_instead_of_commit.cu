// hazard: tensor-commit
// options: --device b200,sms=4
// says: tcgen05.ld that reads columns 0-7, lanes
// says: not ordered after a tcgen05.mma that writes D in columns 0-31, lanes 0-127
// says: tcgen05.commit by the issuing thread
// __syncthreads() behind the issue says that the product was issued, not that it is done.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0]);
    if (fixed) commit_done(shared);
  }
  __syncthreads();
  if (fixed) wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  if (!fixed) {
    if (one()) commit_done(shared);
    wait_done(shared);
  }
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
