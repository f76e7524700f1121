// hazard: tensor-wait-read
// options: --device b200,sms=4
// The columns are given back behind a barrier, without tcgen05.wait::ld: all registers were read.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

// An instruction of this very place that reads the register.
__device__ float add(float to, std::uint32_t what) {
  asm volatile("add.f32 %0, %0, %1;" : "+f"(to) : "f"(__uint_as_float(what)));
  return to;
}

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0]);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  float total = 0;
  for (int i = 0; i < 8; ++i) total = add(total, row.values[i]);
  if (fixed) wait_loads();
  out[threadIdx.x] = total;
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, 8 * sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
