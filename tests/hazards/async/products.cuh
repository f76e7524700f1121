// The smallest product of a warpgroup, 64x8 sums 16 deep, of operands that are the same number
// along k: step s has a(row) = 1 + row % 8 + s and b(column) = 1 + column, all exact in bf16.
#pragma once

#include <cstring>

#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace products {

constexpr int sums = 64 * 8, threads = 128;

// One stage: cores of 8 rows of 16 bytes, two of them along k, then the next 8 rows.
struct alignas(128) Operands {
  std::uint16_t a[64 * 16], b[8 * 16];
};

__host__ __device__ inline int a_of(int row, int step) { return 1 + row % 8 + step; }
__host__ __device__ inline int b_of(int column) { return 1 + column; }
__host__ __device__ inline std::uint16_t bf16_of(int value) {
  const auto wide = static_cast<float>(value);
  std::uint32_t bits = 0;
  memcpy(&bits, &wide, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}
__host__ __device__ inline void set(Operands& to, int i, int step) {  // i in 0..1151
  const int row = i / 128 * 8 + i / 8 % 8;                            // both operands: i / 128
  if (i < 64 * 16)
    to.a[i] = bf16_of(a_of(row, step));
  else
    to.b[i - 64 * 16] = bf16_of(b_of(row - 64));
}
constexpr int elements = 64 * 16 + 8 * 16;

// What sum i is after the products of steps 0 .. last.
inline int want(int i, int last) {
  int sum = 0;
  for (int step = 0; step <= last; ++step) sum += 16 * a_of(i / 8, step) * b_of(i % 8);
  return sum;
}

inline std::vector<Operands> stages(int steps) {
  std::vector<Operands> all(static_cast<std::size_t>(steps));
  for (int step = 0; step < steps; ++step)
    for (int i = 0; i < elements; ++i) set(all[static_cast<std::size_t>(step)], i, step);
  return all;
}

// By ordinary stores of a warpgroup.
__device__ inline void fill(Operands& to, int step) {
  for (int i = threadIdx.x % threads; i < elements; i += threads) set(to, i, step);
}

__device__ inline std::uint64_t describe(const void* start) {
  constexpr std::uint64_t along_k = 128 / 16, along_rows = 256 / 16;
  return (ptx::shared_address(start) & 0x3ffff) >> 4 | along_k << 16 | along_rows << 32;
}

// What the compiler computes these registers from stays ahead of here, what it makes of them
// behind.
__device__ inline void keep_in_place(float (&d)[4]) {
  asm volatile("" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
}
__device__ inline void keep_in_place(std::uint32_t (&a)[4]) {
  asm volatile("" : "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3])::"memory");
}

__device__ inline void fence(float (&d)[4]) {
  keep_in_place(d);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int newest>
__device__ void wait(float (&d)[4]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(newest) : "memory");
  keep_in_place(d);
}

// d += A B, both in shared memory.
__device__ inline void multiply(float (&d)[4], const Operands& from) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, "
      "0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(describe(from.a)), "l"(describe(from.b))
      : "memory");
}
// ... with A in registers: (row, k), (row + 8, k), (row, k + 8), (row + 8, k + 8), pairs along k.
__device__ inline void multiply(float (&d)[4], const std::uint32_t (&a)[4], const Operands& from) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, "
      "1, 1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(describe(from.b))
      : "memory");
}
// a_of is the same 8 rows further: all four registers of a lane.
__device__ inline std::uint32_t a_register(int step) {
  return bf16_of(a_of(threadIdx.x % 32 / 4, step)) * 0x10001u;
}

__device__ inline int index_of(int i) {  // of sum i of this thread
  const int lane = threadIdx.x % 32, warp = threadIdx.x % threads / 32;
  return (16 * warp + lane / 4 + 8 * (i / 2)) * 8 + 2 * (lane % 4) + i % 2;
}
__device__ inline void store(float* out, const float (&d)[4]) {
  for (int i = 0; i < 4; ++i) out[index_of(i)] = d[i];
}

}  // namespace products
