// Sums of squares that neither overflow nor underflow: values are scaled by a power of two near
// the largest of them before they are squared, which costs no rounding. Partial sums carry their
// exponent and are brought to a common one when combined.
#pragma once

#include <cuda_runtime.h>

#include "chapters/ch09/common/reduce.cuh"
#include "chapters/ch09/common/vector16.cuh"
#include "chapters/ch09/fused_l2norm/norm.hpp"

namespace aisp::ch09 {

// Stands for sum * 4^exponent.
struct ScaledSum {
  int exponent;
  float sum;
};

// -126 is the exponent of the smallest normal number: nothing lies below it.
__device__ __forceinline__ ScaledSum empty_sum() { return {-126, 0.0f}; }

__device__ __forceinline__ ScaledSum shuffle_xor(ScaledSum value, int lanes) {
  return {__shfl_xor_sync(0xffffffffu, value.exponent, lanes), shuffle_xor(value.sum, lanes)};
}

// 2^n for n in [-126, 127].
__device__ __forceinline__ float power_of_two(int n) { return __int_as_float((n + 127) << 23); }

// 4^n for n <= 0; zero where that is below the normal numbers, far under one rounding of the sum.
__device__ __forceinline__ float power_of_four(int n) {
  return __int_as_float(max(2 * n + 127, 0) << 23);
}

struct CombineSums {
  __device__ __forceinline__ ScaledSum operator()(ScaledSum a, ScaledSum b) const {
    const int exponent = max(a.exponent, b.exponent);
    return {exponent, a.sum * power_of_four(a.exponent - exponent) +
                          b.sum * power_of_four(b.exponent - exponent)};
  }
};

// The sum over `count` vectors of a thread, all scaled by the exponent of their largest element.
// The exponent stays within [-126, 126], so that both 2^e and 2^-e are normal numbers.
template <class T, int count>
__device__ __forceinline__ ScaledSum sum_of_squares(const uint4 (&vectors)[count]) {
  float largest = 0.0f;
#pragma unroll
  for (int j = 0; j < count; ++j)
    for (const float value : unpack<T>(vectors[j]).at) largest = fmaxf(largest, fabsf(value));
  const int exponent = min(max((__float_as_int(largest) >> 23) - 127, -126), 126);
  const float scale = power_of_two(-exponent);
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < count; ++j)
    for (const float value : unpack<T>(vectors[j]).at)
      sum = fmaf(value * scale, value * scale, sum);
  return {exponent, sum};
}

// How a row becomes a unit row: y = (x * scale) * inverse. The scaled norm lies between 1 and the
// square root of 16 times the row length, so its inverse is never subnormal even where the norm
// itself would overflow.
struct RowScale {
  float scale;    // 2^-exponent
  float inverse;  // 1 / max(|x * scale|, floor * scale)
};

__device__ __forceinline__ RowScale row_scale(ScaledSum squares) {
  const float scale = power_of_two(-squares.exponent);
  return {scale, 1.0f / fmaxf(sqrtf(squares.sum), norm_floor * scale)};
}

template <class T>
__device__ __forceinline__ uint4 scaled(uint4 raw, RowScale row) {
  Floats<T> values = unpack<T>(raw);
  for (float& value : values.at) value = value * row.scale * row.inverse;
  return pack(values);
}

// The sum over one row read from memory, 16 bytes per thread at a time.
template <class T>
__device__ __forceinline__ ScaledSum row_sum(const uint4* row, int vectors, ScaledSum* partials) {
  ScaledSum mine = empty_sum();
#pragma unroll 4
  for (int v = static_cast<int>(threadIdx.x); v < vectors; v += static_cast<int>(blockDim.x)) {
    const uint4 vector[1] = {row[v]};
    mine = CombineSums{}(mine, sum_of_squares<T>(vector));
  }
  return block_reduce(mine, empty_sum(), partials, CombineSums{});
}

}  // namespace aisp::ch09
