// hazard: none
// options: --device b200,sms=4
// Two products of 64 rows lie in the same columns, in the lower and the upper half of every
// quarter: one is read while the other is in flight.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared, 1);
  const auto half = [&](std::uint32_t lane) {
    multiply<1>(base + (lane << 16), matrix(shared.stage[0].a, 128), matrix(shared.stage[0].b, n),
                bf16_product(64, n), false);
  };
  if (one()) {
    half(0);
    commit_done(shared);
  }
  wait_done(shared);
  if (one()) {
    half(16);
    commit<1>(shared_address(&shared.token));
  }
  __syncthreads();
  std::uint32_t value;
  asm volatile("tcgen05.ld.sync.aligned.16x64b.x1.b32 {%0}, [%1];"
               : "=r"(value)
               : "r"(quarter(base)));
  wait_loads();
  out[threadIdx.x] = __uint_as_float(value);
  wait_token(shared);
  finish(base);
}

bool run_clean() { return run(use, sum); }

const hazard::Program program(__FILE__, run_clean);

}  // namespace
