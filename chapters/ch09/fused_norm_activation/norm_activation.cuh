// The operators of the target on eight bf16 elements at a time, and the row norm over a block.
// All kernels use one block per row and four vectors per thread; arithmetic is in float.
#pragma once

#include <cuda_runtime.h>

#include "chapters/ch09/common/reduce.cuh"
#include "chapters/ch09/common/row.cuh"
#include "chapters/ch09/fused_norm_activation/norm.hpp"

namespace aisp::ch09 {

struct Add {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};

// 1 / rms of the row whose parts the threads hold; `partials` holds one float per warp.
__device__ __forceinline__ float inverse_rms(const RowPart& part, int vectors, float* partials) {
  float squares = 0.0f;
#pragma unroll
  for (const uint4& raw : part.at)
    for (const float value : unpack<Bf16>(raw).at) squares = fmaf(value, value, squares);
  squares = block_reduce(squares, 0.0f, partials, Add{});
  return rsqrtf(squares / static_cast<float>(vectors * per_vector<Bf16>) + norm_epsilon);
}

// Large negative v: exp(-v) is infinite and the quotient zero, as it should be.
__device__ __forceinline__ float silu(float v) { return __fdividef(v, 1.0f + __expf(-v)); }

// op(element) over one vector.
template <class Op>
__device__ __forceinline__ uint4 map(uint4 raw, Op op) {
  Floats<Bf16> values = unpack<Bf16>(raw);
  for (float& value : values.at) value = op(value);
  return pack(values);
}

// op(element of a, element of b) over two vectors.
template <class Op>
__device__ __forceinline__ uint4 zip(uint4 raw_a, uint4 raw_b, Op op) {
  Floats<Bf16> values = unpack<Bf16>(raw_a);
  const Floats<Bf16> others = unpack<Bf16>(raw_b);
#pragma unroll
  for (int i = 0; i < per_vector<Bf16>; ++i) values.at[i] = op(values.at[i], others.at[i]);
  return pack(values);
}

// op(element of a, of b, of c) over three vectors.
template <class Op>
__device__ __forceinline__ uint4 zip(uint4 raw_a, uint4 raw_b, uint4 raw_c, Op op) {
  Floats<Bf16> values = unpack<Bf16>(raw_a);
  const Floats<Bf16> seconds = unpack<Bf16>(raw_b), thirds = unpack<Bf16>(raw_c);
#pragma unroll
  for (int i = 0; i < per_vector<Bf16>; ++i)
    values.at[i] = op(values.at[i], seconds.at[i], thirds.at[i]);
  return pack(values);
}

// y = x / rms(x) for the block's row, rounded to bf16.
__device__ __forceinline__ void normalise_row(const uint4* x, uint4* y, int vectors,
                                              float* partials) {
  const RowPart part = load_row(x, vectors);
  const float scale = inverse_rms(part, vectors, partials);
  store_row(y, vectors, [&](int j, int) {
    return map(part.at[j], [&](float value) { return value * scale; });
  });
}

}  // namespace aisp::ch09
