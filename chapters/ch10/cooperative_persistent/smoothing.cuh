// One step of the smoothing on the device: an element, a vector whose neighbours are in the warp,
// a tile that is read from global memory.
#pragma once

#include <cuda_runtime.h>

#include "chapters/ch10/cooperative_persistent/smoothing.hpp"
#include "tile/arch/target.cuh"

namespace aisp::ch10 {

// In this order on every rung: they agree in every bit.
TILE_DEVICE float smooth(float a, float b, float c, float d, float e) {
  float sum = far_weight * a;
  sum = fmaf(far_weight, e, sum);
  sum = fmaf(near_weight, b, sum);
  sum = fmaf(near_weight, d, sum);
  return fmaf(centre_weight, c, sum);
}

TILE_DEVICE float4 smooth(float2 before, float4 v, float2 after) {
  return {smooth(before.x, before.y, v.x, v.y, v.z), smooth(before.y, v.x, v.y, v.z, v.w),
          smooth(v.x, v.y, v.z, v.w, after.x), smooth(v.y, v.z, v.w, after.x, after.y)};
}

// What a lane cannot have from its neighbours in the warp: the first lane brings `before`, the last
// one and whoever says `ends` bring `after`.
TILE_DEVICE float4 smooth_in_warp(float2 before, float4 v, float2 after, bool ends = false) {
  const unsigned lane = threadIdx.x % 32;
  const float2 lower{__shfl_up_sync(0xffffffffu, v.z, 1), __shfl_up_sync(0xffffffffu, v.w, 1)};
  const float2 upper{__shfl_down_sync(0xffffffffu, v.x, 1), __shfl_down_sync(0xffffffffu, v.y, 1)};
  return smooth(lane == 0 ? before : lower, v, lane == 31 || ends ? after : upper);
}

// The two floats ahead of vector `index` and the two behind it.
TILE_DEVICE float2 floats_before(const float4* vectors, int index) {
  return reinterpret_cast<const float2*>(vectors)[std::int64_t{2} * index - 1];
}
TILE_DEVICE float2 floats_after(const float4* vectors, int index) {
  return reinterpret_cast<const float2*>(vectors)[std::int64_t{2} * index + 2];
}

// From one array to another, both in global memory. No read-only loads: in a launch of several
// steps other blocks have written `from`.
TILE_DEVICE void smooth_tile(const float4* from, float4* to, int tile, int vectors) {
  const int first = tile * tile_vectors + static_cast<int>(threadIdx.x);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float4 v[vectors_per_thread];
  float2 before[vectors_per_thread], after[vectors_per_thread];
#pragma unroll
  for (int j = 0; j < vectors_per_thread; ++j) {
    const int index = first + j * smooth_threads;
    v[j] = index < vectors ? from[index] : float4{};
    before[j] = lane == 0 && index > 0 && index < vectors ? floats_before(from, index) : float2{};
    after[j] = lane == 31 && index + 1 < vectors ? floats_after(from, index) : float2{};
  }
#pragma unroll
  for (int j = 0; j < vectors_per_thread; ++j) {
    const int index = first + j * smooth_threads;
    const float4 result = smooth_in_warp(before[j], v[j], after[j]);
    if (index < vectors) to[index] = result;
  }
}

// The arrays that the steps of a run go through: x, then to and fro between two, ending in y.
struct Arrays {
  const float4* x;
  float4 *spare, *y;

  __host__ __device__ float4* to(int step, int steps) const {
    return (steps - 1 - step) % 2 == 0 ? y : spare;
  }
  __host__ __device__ const float4* from(int step, int steps) const {
    return step == 0 ? x : to(step - 1, steps);
  }
};

}  // namespace aisp::ch10
