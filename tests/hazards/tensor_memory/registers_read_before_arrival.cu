// hazard: tensor-wait-read
// options: --device b200,sms=4
// says: all registers of the load were read
// The epilogue reads all registers of its tcgen05.ld and arrives without tcgen05.wait::ld.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

// An instruction of this very place that reads the register.
__device__ float add(float to, std::uint32_t what) {
  asm volatile("add.f32 %0, %0, %1;" : "+f"(to) : "f"(__uint_as_float(what)));
  return to;
}

template <bool fixed>
// example begin: tensor-wait-read
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
  arrive_token(shared);
  if (one()) {
    wait_token(shared);
    product(base, shared.stage[1]);
    commit_done(shared);
  }
  __syncwarp();
  out[threadIdx.x] = total;
  wait_done(shared, 1);
  finish(base);
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, 8 * sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
