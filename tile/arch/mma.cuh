// The matrix instructions of a warp before Hopper, and what came before them: accumulators += A B
// with operands in registers. Which lane holds which element: tile/atom. None has another effect
// than its result, so the compiler may move them.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// 16x8 accumulators, 16 deep: 4 registers of A, 2 of B, two elements in each.
TILE_DEVICE void mma_16x8x16_bf16(float (&acc)[4], const std::uint32_t (&a)[4],
                                  const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
TILE_DEVICE void mma_16x8x16_f16(float (&acc)[4], const std::uint32_t (&a)[4],
                                 const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 16x8 accumulators, 8 deep. f16 since Turing, the others since Ampere.
TILE_DEVICE void mma_16x8x8_bf16(float (&acc)[4], const std::uint32_t (&a)[2],
                                 const std::uint32_t (&b)[1]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}
TILE_DEVICE void mma_16x8x8_f16(float (&acc)[4], const std::uint32_t (&a)[2],
                                const std::uint32_t (&b)[1]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}
TILE_DEVICE void mma_16x8x8_tf32(float (&acc)[4], const std::uint32_t (&a)[4],
                                 const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 16x8 accumulators, 32 deep, four elements in a register. fp8 since Ada (sm_89).
TILE_DEVICE void mma_16x8x32_s8(std::int32_t (&acc)[4], const std::uint32_t (&a)[4],
                                const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(acc[0]), "+r"(acc[1]), "+r"(acc[2]), "+r"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
TILE_DEVICE void mma_16x8x32_e4m3(float (&acc)[4], const std::uint32_t (&a)[4],
                                  const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
TILE_DEVICE void mma_16x8x32_e5m2(float (&acc)[4], const std::uint32_t (&a)[4],
                                  const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Volta: four products of 8x8, 4 deep, one by each two groups of four lanes. Later chips chain
// multiply-adds instead.
TILE_DEVICE void mma_8x8x4_f16(float (&acc)[8], const std::uint32_t (&a)[2],
                               const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11}, {%0, %1, %2, %3, %4, %5, %6, %7};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]), "+f"(acc[4]), "+f"(acc[5]),
        "+f"(acc[6]), "+f"(acc[7])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}

// Pascal: four products of s8 in one thread.
TILE_DEVICE std::int32_t dot_4_s8(std::uint32_t a, std::uint32_t b, std::int32_t sum) {
  asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

// One product in one thread, rounded once.
TILE_DEVICE float multiply_add(float a, float b, float sum) {
  asm("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(a), "f"(b));
  return sum;
}

}  // namespace aisp::tile::arch
