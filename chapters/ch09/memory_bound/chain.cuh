// The eight steps as device functions, and the walk of one block over its part of an array.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "chapters/ch09/common/vector16.cuh"
#include "chapters/ch09/memory_bound/chain.hpp"

namespace aisp::ch09 {

struct Scale {
  static __device__ float of(float t) { return chain_scale * t; }
};
struct Shift {
  static __device__ float of(float t) { return t + chain_shift; }
};
struct LeakyRelu {
  static __device__ float of(float t) { return fmaxf(t, chain_leak * t); }
};
struct Square {
  static __device__ float of(float t) { return t * t; }
};
struct PlusOne {
  static __device__ float of(float t) { return t + 1.0f; }
};
struct Halve {
  static __device__ float of(float t) { return 0.5f * t; }
};
struct Clamp {
  static __device__ float of(float t) { return fminf(t, chain_ceiling); }
};

template <class... Steps>
struct Chain {
  static __device__ float of(float t) {
    ((t = Steps::of(t)), ...);
    return t;
  }
};
using WholeChain = Chain<Scale, Shift, LeakyRelu, Square, PlusOne, Halve, Square, Clamp>;

inline constexpr int chain_threads = 256;

inline constexpr std::int64_t chain_block = 4 * chain_threads;  // elements: a vector per thread

// Applies Step to this block's elements of x. The last, ragged block goes element by element.
template <class Step>
__device__ __forceinline__ void map_block(const float* __restrict__ x, float* __restrict__ y,
                                          std::int64_t count) {
  const std::int64_t first = blockIdx.x * chain_block;
  const int thread = static_cast<int>(threadIdx.x);
  if (first + chain_block > count) {
    for (std::int64_t i = first + thread; i < count; i += chain_threads) y[i] = Step::of(x[i]);
    return;
  }
  Floats<float> values = unpack<float>(reinterpret_cast<const uint4*>(x + first)[thread]);
  for (float& value : values.at) value = Step::of(value);
  reinterpret_cast<uint4*>(y + first)[thread] = pack(values);
}

}  // namespace aisp::ch09
