// hazard: none
// options: --device b200,sms=4
// The next product writes over the operand in tensor memory that the one before it reads, as
// attention does with P and the next S: one thread, in order.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), a = base + other;
  store(a, ones);
  wait_stores();
  __syncthreads();
  if (one()) {
    product_of(base, a, shared.stage[0]);
    product(a, shared.stage[1]);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

bool run_clean() { return run(use, sum); }

const hazard::Program program(__FILE__, run_clean);

}  // namespace
