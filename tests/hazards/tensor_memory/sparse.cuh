// Products with a sparse A of bf16: 16 stored ones in a row, B is 2 everywhere.
#pragma once

#include "tests/hazards/tensor_memory/tensor.cuh"

namespace tensor {

// The first two of every four elements are stored, in all rows.
constexpr std::uint32_t first_two = 0x44444444u;
constexpr float sparse_sum = 2 * sum;

// The metadata is in the second of the two columns at `metadata`: selector 1.
__device__ inline void sparse_product(std::uint32_t d, const Shared& shared,
                                      std::uint32_t metadata) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, 1, 1;"
      " tcgen05.mma.sp.cta_group::1.kind::f16 [%0], %1, %2, [%3], %4, p; }" ::"r"(d),
      "l"(matrix(shared.stage[0].a, 128)), "l"(matrix(shared.stage[1].a, n)), "r"(metadata),
      "r"(shape | 1u << 2 | 1u)
      : "memory");
}
// One column of the lanes of this warp.
__device__ inline void store_column(std::uint32_t to, std::uint32_t value) {
  asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(quarter(to)), "r"(value)
               : "memory");
}

}  // namespace tensor
