// What every rung of the row sums does: the sum of one block's part of a row. Only how the eight
// parts of a row meet differs from rung to rung.
#pragma once

#include <cuda_runtime.h>

#include "chapters/ch10/common/reduction.hpp"
#include "tile/arch/cluster.cuh"

namespace aisp::ch10 {

// Every file is compiled for every architecture; where there are no clusters a kernel that uses
// them is a trap, in case it got past the lab's `needs` check. Not defined in host code.
#ifdef __CUDA_ARCH__
inline constexpr bool has_clusters = __CUDA_ARCH__ >= 900;
#else
inline constexpr bool has_clusters = false;
#endif

// Eight blocks next to each other share a row: they are a cluster where clusters are launched.
TILE_DEVICE int row_of_block() { return static_cast<int>(blockIdx.x) / reduction_parts; }
TILE_DEVICE int part_of_block() { return static_cast<int>(blockIdx.x) % reduction_parts; }

// The first vector of a part; parts differ by one vector at most.
TILE_DEVICE int part_begin(int vectors, int part) {
  return static_cast<int>(std::int64_t{vectors} * part / reduction_parts);
}

// This thread's share of the block's part: all loads of a round are issued before the first is
// used.
TILE_DEVICE float thread_sum(const float4* __restrict__ x, int vectors) {
  const float4* row = x + std::int64_t{row_of_block()} * vectors;
  const int end = part_begin(vectors, part_of_block() + 1);
  constexpr int round = reduction_loads * reduction_threads;
  float sum = 0.0f;
  for (int first = part_begin(vectors, part_of_block()); first < end; first += round) {
    const int mine = first + static_cast<int>(threadIdx.x);
    float4 at[reduction_loads];
    if (first + round <= end) {
#pragma unroll
      for (int j = 0; j < reduction_loads; ++j) at[j] = row[mine + j * reduction_threads];
    } else {
#pragma unroll
      for (int j = 0; j < reduction_loads; ++j) {
        const int vector = mine + j * reduction_threads;
        at[j] = vector < end ? row[vector] : float4{};
      }
    }
#pragma unroll
    for (int j = 0; j < reduction_loads; ++j) sum += (at[j].x + at[j].y) + (at[j].z + at[j].w);
  }
  return sum;
}

// The sum over the block, in its first warp: shuffles, one value per warp through shared memory,
// shuffles again.
TILE_DEVICE float block_sum(float value) {
  constexpr int warps = reduction_threads / 32;
  __shared__ float of_warp[warps];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(0xffffffffu, value, lanes);
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp != 0) return 0.0f;
  value = of_warp[lane % warps];
#pragma unroll
  for (int lanes = warps / 2; lanes > 0; lanes /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, lanes);
  return value;
}

TILE_DEVICE float part_sum(const float4* __restrict__ x, int vectors) {
  return block_sum(thread_sum(x, vectors));
}

// The parts of a row in their order, whoever came first: all rungs round alike.
TILE_DEVICE float sum_of_parts(const float (&parts)[reduction_parts]) {
  float sum = parts[0];
#pragma unroll
  for (int part = 1; part < reduction_parts; ++part) sum += parts[part];
  return sum;
}

// The same in global memory, where `parts` lies on a multiple of 16 bytes.
TILE_DEVICE float sum_of_parts(const float4* parts) {
  static_assert(reduction_parts == 8);
  const float4 a = parts[0], b = parts[1];
  return sum_of_parts({a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w});
}

// The two passes that both ladders start from.
TILE_DEVICE void first_pass(const float4* __restrict__ x, float* parts, int vectors) {
  const float sum = part_sum(x, vectors);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}
TILE_DEVICE void second_pass(const float4* parts, float* sums, int rows) {
  const int row = static_cast<int>(blockIdx.x * reduction_threads + threadIdx.x);
  if (row < rows) sums[row] = sum_of_parts(parts + std::int64_t{row} * (reduction_parts / 4));
}

}  // namespace aisp::ch10
