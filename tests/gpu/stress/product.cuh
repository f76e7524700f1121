// The smallest product of a warpgroup: 64x8 sums, 16 deep, of bf16 operands in shared memory that
// are the same number along k. All values are small integers, exact in every step.
#pragma once

#include "stress.cuh"

// nvcc -arch=sm_90a compiles for plain sm_90, too, which has no wgmma.
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define STRESS_WGMMA(...) __trap()
#else
#define STRESS_WGMMA(...) asm volatile(__VA_ARGS__)
#endif

namespace stress {

// Cores of 8 rows of 16 bytes, two of them along k, then the next 8 rows.
struct alignas(128) Operands {
  std::uint16_t a[64 * 16], b[8 * 16];
};
constexpr int elements = 64 * 16 + 8 * 16, pieces = sizeof(Operands) / 16;

__host__ __device__ inline std::uint16_t bf16_of(int value) {
  float wide = static_cast<float>(value);
  std::uint32_t bits = 0;
  memcpy(&bits, &wide, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}
__host__ __device__ inline int a_of(int row, int variant) { return 1 + (row + variant) % 8; }
__host__ __device__ inline int b_of(int column, int variant) { return 1 + (column ^ variant % 8); }
__host__ __device__ inline std::uint16_t element_of(int i, int variant) {
  const int row = i / 128 * 8 + i / 8 % 8;
  return bf16_of(i < 64 * 16 ? a_of(row, variant) : b_of(row - 64, variant));
}

__device__ inline std::uint64_t describe(const void* start) {
  constexpr std::uint64_t along_k = 128 / 16, along_rows = 256 / 16;
  return (shared_address(start) & 0x3ffff) >> 4 | along_k << 16 | along_rows << 32;
}

__device__ inline void product_fence(float (&d)[4]) {
  asm volatile("" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
  STRESS_WGMMA("wgmma.fence.sync.aligned;" ::: "memory");
}
// d += A B
__device__ inline void multiply(float (&d)[4], const Operands& from) {
  STRESS_WGMMA(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, "
      "0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(describe(from.a)), "l"(describe(from.b))
      : "memory");
}
__device__ inline void product_commit() {
  STRESS_WGMMA("wgmma.commit_group.sync.aligned;" ::: "memory");
}
__device__ inline void product_wait(float (&d)[4]) {
  STRESS_WGMMA("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  asm volatile("" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
}

// Whether the thread's four sums are those of `times` products of the variant.
__device__ inline bool right(const float (&d)[4], int variant, int times) {
  const int lane = static_cast<int>(threadIdx.x % 32),
            warp = static_cast<int>(threadIdx.x / 32 % 4);
  bool all = true;
  for (int i = 0; i < 4; ++i) {
    const int row = warp * 16 + lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    all =
        all && d[i] == static_cast<float>(16 * times * a_of(row, variant) * b_of(column, variant));
  }
  return all;
}

// All threads of the block, by ordinary stores that the async proxy sees.
__device__ inline void poison(Operands& tile) {
  auto* words = reinterpret_cast<std::uint32_t*>(&tile);
  for (int i = static_cast<int>(threadIdx.x); i < elements / 2; i += static_cast<int>(blockDim.x))
    words[i] = 0x7fc07fc0u;  // NaN in every element
  fence_async();
  __syncthreads();
}

}  // namespace stress
