// hazard: tensor-wait
// options: --device b200,sms=4
// The registers of the tcgen05.ld are copied and packed before the arrival and read behind it. The
// assembler removes such copies.
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
  std::uint32_t copies[6];
  for (int i = 0; i < 6; ++i)
    asm volatile("mov.b32 %0, %1;" : "=r"(copies[i]) : "r"(row.values[i]));
  std::uint64_t packed;
  asm volatile("mov.b64 %0, {%1, %2};" : "=l"(packed) : "r"(row.values[6]), "r"(row.values[7]));
  if (fixed) wait_loads();
  arrive_token(shared);
  if (one()) {
    wait_token(shared);
    product(base, shared.stage[1]);
    commit_done(shared);
  }
  __syncwarp();
  float total = 0;
  for (const std::uint32_t copy : copies) total = add(total, copy);
  total = add(total, static_cast<std::uint32_t>(packed));
  total = add(total, static_cast<std::uint32_t>(packed >> 32));
  out[threadIdx.x] = total;
  wait_done(shared, 1);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, 8 * sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
