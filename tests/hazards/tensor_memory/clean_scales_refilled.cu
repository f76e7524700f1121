// hazard: none
// options: --device b200,sms=4
// Scales of the next stage are copied behind the products that read those of this one, into the
// same columns, as libraries do: the tensor core runs what a thread asks for in order.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

// Two e4m3 ones in 16 bits; scales of 1 in ue8m0.
__device__ void scaled(std::uint32_t d, const Operands& from, std::uint32_t a, std::uint32_t b,
                       std::uint32_t what) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, 1, 1;"
      " tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%0], %1, %2, %3, [%4], [%5], p; }" ::
          "r"(d),
      "l"(matrix(from.a, 128)), "l"(matrix(from.b, n)), "r"(what), "r"(a), "r"(b)
      : "memory");
}
constexpr std::uint32_t e4m3_ones = 0x38383838u, scale_ones = 0x7f7f7f7fu;
constexpr std::uint32_t scaled_shape = 1u << 27 | std::uint32_t{n / 8} << 17 | 1u << 23;

__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), scales = base + other;
  Operands& stage = shared.stage[1];
  fill(stage, e4m3_ones);
  if (threadIdx.x < n * 2)
    stage.b[threadIdx.x] = make_uint4(e4m3_ones, e4m3_ones, e4m3_ones, e4m3_ones);
  if (threadIdx.x < 32)
    shared.stage[0].a[threadIdx.x] = make_uint4(scale_ones, scale_ones, scale_ones, scale_ones);
  fence_for_async();
  __syncthreads();

  if (one()) {
    for (int step = 0; step < 3; ++step) {
      copy_rows(scales, shared.stage[0].a);
      copy_rows(scales + 4, shared.stage[0].a);
      scaled(base, stage, scales, scales + 4, scaled_shape);
    }
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

bool run_clean() { return run(use, 2 * sum); }

const hazard::Program program(__FILE__, run_clean);

}  // namespace
