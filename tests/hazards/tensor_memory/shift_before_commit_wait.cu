// hazard: tensor-commit
// options: --device b200,sms=4
// tcgen05.shift moves rows at a time of its own; they are read before its commit was waited
// for.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  store(base, ones);
  wait_stores();
  __syncthreads();
  if (one()) {
    asm volatile("tcgen05.shift.cta_group::1.down [%0];" ::"r"(base) : "memory");
    commit_done(shared);
  }
  __syncthreads();
  if (fixed) wait_done(shared);
  const Row row = load(base);
  wait_loads();
  out[threadIdx.x] = row.values[0] == ones ? sum : 0;
  wait_done(shared);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
