// Reductions over a warp and over a block whose threads are whole warps. Every thread gets the
// result.
#pragma once

#include <cuda_runtime.h>

namespace aisp::ch09 {

inline constexpr int most_warps = 32;

__device__ __forceinline__ float shuffle_xor(float value, int lanes) {
  return __shfl_xor_sync(0xffffffffu, value, lanes);
}

// T needs a shuffle_xor of its own; `combine` must be associative and commutative up to rounding.
template <class T, class Combine>
__device__ __forceinline__ T warp_reduce(T value, Combine combine) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) value = combine(value, shuffle_xor(value, lanes));
  return value;
}

// One barrier: each warp leaves its part in `partials` and all warps reduce the parts again.
// `partials` (one T per warp) is free for another use only after one more barrier.
template <class T, class Combine>
__device__ __forceinline__ T block_reduce(T value, T identity, T* partials, Combine combine) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  value = warp_reduce(value, combine);
  if (lane == 0) partials[warp] = value;
  __syncthreads();
  return warp_reduce(lane < warps ? partials[lane] : identity, combine);
}

}  // namespace aisp::ch09
