// Sixteen bytes at a time: the elements of a uint4 as floats. Loads and stores are plain: on the
// H200 L1::no_allocate and evict-first hints cost streams 2 to 7 % of their bandwidth.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace aisp::ch09 {

// bf16 in memory: the upper half of a float. Arithmetic happens in float.
struct Bf16 {
  std::uint16_t bits;
};

template <class T>
inline constexpr int per_vector = 16 / static_cast<int>(sizeof(T));

template <class T>
struct Floats {
  float at[per_vector<T>];
};

template <class T>
__device__ __forceinline__ Floats<T> unpack(uint4 raw);

template <>
__device__ __forceinline__ Floats<float> unpack<float>(uint4 raw) {
  return {{__uint_as_float(raw.x), __uint_as_float(raw.y), __uint_as_float(raw.z),
           __uint_as_float(raw.w)}};
}

template <>
__device__ __forceinline__ Floats<Bf16> unpack<Bf16>(uint4 raw) {
  const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
  Floats<Bf16> values;
#pragma unroll
  for (int word = 0; word < 4; ++word) {
    values.at[2 * word] = __uint_as_float(words[word] << 16);
    values.at[2 * word + 1] = __uint_as_float(words[word] & 0xffff0000u);
  }
  return values;
}

__device__ __forceinline__ uint4 pack(const Floats<float>& values) {
  return {__float_as_uint(values.at[0]), __float_as_uint(values.at[1]),
          __float_as_uint(values.at[2]), __float_as_uint(values.at[3])};
}

// Rounds to nearest even, two at a time.
__device__ __forceinline__ uint4 pack(const Floats<Bf16>& values) {
  unsigned words[4];
#pragma unroll
  for (int word = 0; word < 4; ++word)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(words[word])
        : "f"(values.at[2 * word + 1]), "f"(values.at[2 * word]));
  return {words[0], words[1], words[2], words[3]};
}

}  // namespace aisp::ch09
