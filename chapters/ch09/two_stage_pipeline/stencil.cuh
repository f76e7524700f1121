// What the rungs share: which 16-byte vectors make up a tile, and the arithmetic on a tile in
// shared memory. The rungs differ only in how and when tiles are fetched.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "chapters/ch09/two_stage_pipeline/stencil.hpp"

namespace aisp::ch09 {

struct TileBuffer {
  float4 at[stencil_tile_and_halo / 4];
};

// Bytes of the 16-byte vector at element `first` that lie inside an array of `count` elements.
// Vectors start at multiples of four, so one is never cut by the front of the array.
__device__ __forceinline__ int bytes_inside(std::int64_t first, std::int64_t count) {
  if (first < 0 || first >= count) return 0;
  return count - first >= 4 ? 16 : 4 * static_cast<int>(count - first);
}

// The vector at element `first`, element by element; zero outside the array.
__device__ __forceinline__ float4 cut_vector(const float* x, std::int64_t first,
                                             std::int64_t count) {
  const auto at = [&](std::int64_t i) { return i >= 0 && i < count ? x[i] : 0.0f; };
  return {at(first), at(first + 1), at(first + 2), at(first + 3)};
}

// fetch(vector, first): calls it for each vector of the tile this thread fetches, `first` being the
// vector's first element of x. The halo makes eight vectors more than two per thread.
template <class Fetch>
__device__ __forceinline__ void for_tile_vectors(std::int64_t tile, Fetch fetch) {
  constexpr int vectors = stencil_tile_and_halo / 4;
  const std::int64_t front = tile * stencil_tile - stencil_radius;
#pragma unroll
  for (int vector = static_cast<int>(threadIdx.x); vector < vectors; vector += stencil_threads)
    fetch(vector, front + 4 * vector);
}

// The weight of tap k + radius: a constant wherever `tap` is one.
__device__ __forceinline__ constexpr float stencil_weight(int tap) {
  const int k = tap < stencil_radius ? stencil_radius - tap : tap - stencil_radius;
  return static_cast<float>(stencil_radius + 1 - k) * stencil_unit;
}

// Four neighbouring outputs: a window of 36 inputs slides over 33 taps.
__device__ __forceinline__ float4 four_outputs(const float4* window) {
  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int vector = 0; vector < (stencil_taps + 3) / 4; ++vector) {
    const float4 four = window[vector];
    const float inputs[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int output = 0; output < 4; ++output) {
        const int tap = 4 * vector + i - output;
        if (tap >= 0 && tap < stencil_taps)
          sums[output] = fmaf(stencil_weight(tap), inputs[i], sums[output]);
      }
  }
  return {sums[0], sums[1], sums[2], sums[3]};
}

// Computes and stores the block's tile. Lanes read and write neighbouring vectors: no bank is hit
// twice and stores are whole lines.
__device__ __forceinline__ void compute_tile(const TileBuffer& x_smem, std::int64_t tile, float* y,
                                             std::int64_t count) {
#pragma unroll
  for (int group = 0; group < stencil_tile / 4 / stencil_threads; ++group) {
    const int vector = static_cast<int>(threadIdx.x) + group * stencil_threads;
    const std::int64_t first = tile * stencil_tile + 4 * vector;
    const float4 sums = four_outputs(x_smem.at + vector);
    if (first + 4 <= count) {
      *reinterpret_cast<float4*>(y + first) = sums;
    } else {
      const float tail[4] = {sums.x, sums.y, sums.z, sums.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (first + i < count) y[first + i] = tail[i];
    }
  }
}

}  // namespace aisp::ch09
