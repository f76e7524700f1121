// Products with block scales, all of them 1.
#pragma once

#include "tests/hazards/tensor_memory/tensor.cuh"

namespace tensor {

// Two e4m3 ones in 16 bits; scales of 1 in ue8m0.
__device__ inline void scaled(std::uint32_t d, const Operands& from, std::uint32_t a,
                              std::uint32_t b, std::uint32_t what) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, 1, 1;"
      " tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%0], %1, %2, %3, [%4], [%5], p; }" ::
          "r"(d),
      "l"(matrix(from.a, 128)), "l"(matrix(from.b, n)), "r"(what), "r"(a), "r"(b)
      : "memory");
}
constexpr std::uint32_t e4m3_ones = 0x38383838u, scale_ones = 0x7f7f7f7fu;
constexpr std::uint32_t scaled_shape = 1u << 27 | std::uint32_t{n / 8} << 17 | 1u << 23;

// Operands of ones in the second stage, rows of scales where the first stage's A lies; seen by the
// tensor core after a barrier, which this ends with.
__device__ inline Operands& fill_scaled(Shared& shared) {
  Operands& stage = shared.stage[1];
  fill(stage, e4m3_ones);
  if (threadIdx.x < n * 2)
    stage.b[threadIdx.x] = make_uint4(e4m3_ones, e4m3_ones, e4m3_ones, e4m3_ones);
  if (threadIdx.x < 32)
    shared.stage[0].a[threadIdx.x] = make_uint4(scale_ones, scale_ones, scale_ones, scale_ones);
  fence_for_async();
  __syncthreads();
  return stage;
}

}  // namespace tensor
