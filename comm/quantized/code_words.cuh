// Four codes in a word, the first in the low byte. What rounds them is the same on every
// architecture: the conversions of sm_89, or the same by hand.
#pragma once

#include "comm/quantized/block_codes.hpp"

namespace aisp::comm {

template <Codes codes>
struct Word;

template <>
struct Word<Codes::int8> {
  // Behind the sum is the integer next to number * reciprocal, rounded once, in the low bits.
  static __device__ std::uint32_t encode(float4 number, float reciprocal) {
    constexpr float bias = 0x1.8p23f;
    const auto one = [&](float x) { return __float_as_uint(__fmaf_rn(x, reciprocal, bias)); };
    return __byte_perm(__byte_perm(one(number.x), one(number.y), 0x0040),
                       __byte_perm(one(number.z), one(number.w), 0x0040), 0x5410);
  }
  // 2^23 + 128 + code, of the bytes of a float.
  static __device__ float4 decode(std::uint32_t word) {
    const std::uint32_t bytes = word ^ 0x80808080u;
    const auto one = [&](unsigned which) {
      return __uint_as_float(__byte_perm(bytes, 0x4B000000u, 0x7440u + which)) - 8388736.0f;
    };
    return {one(0), one(1), one(2), one(3)};
  }
};

template <>
struct Word<Codes::e4m3> {
  static __device__ std::uint32_t encode(float4 number, float reciprocal) {
    return pair(__fmul_rn(number.x, reciprocal), __fmul_rn(number.y, reciprocal)) |
           pair(__fmul_rn(number.z, reciprocal), __fmul_rn(number.w, reciprocal)) << 16;
  }
  static __device__ float4 decode(std::uint32_t word) {
    const float2 low = numbers(word & 0xffffu), high = numbers(word >> 16);
    return {low.x, low.y, high.x, high.y};
  }

 private:
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  static __device__ std::uint32_t pair(float first, float second) {
    unsigned short packed;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(packed) : "f"(second), "f"(first));
    return packed;
  }
  // Every e4m3 number is an f16 number.
  static __device__ float2 numbers(std::uint32_t codes) {
    float2 pair;
    asm("{\n  .reg .b32 both;\n  .reg .b16 first, second;\n"
        "  cvt.rn.f16x2.e4m3x2 both, %2;\n  mov.b32 {first, second}, both;\n"
        "  cvt.f32.f16 %0, first;\n  cvt.f32.f16 %1, second;\n}"
        : "=f"(pair.x), "=f"(pair.y)
        : "h"(static_cast<unsigned short>(codes)));
    return pair;
  }
#else
  static __device__ std::uint32_t code(float number) {
    const std::uint32_t bits = __float_as_uint(number), sign = bits >> 24 & 0x80u;
    std::uint32_t size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return 0x7fu;
    size = min(size, __float_as_uint(448.0f));
    if (size < __float_as_uint(0x1p-6f))  // subnormal: multiples of 2^-9
      return sign | (__float_as_uint(__fmaf_rn(__uint_as_float(size), 512.0f, 0x1p23f)) & 0xfu);
    // Three places stay; the exponent is counted from 7 instead of 127.
    return sign | (((size + 0x7ffffu + (size >> 20 & 1u)) >> 20) - (120u << 3));
  }
  static __device__ std::uint32_t pair(float first, float second) {
    return code(first) | code(second) << 8;
  }
  static __device__ float number(std::uint32_t code) {
    return __uint_as_float(
        (code & 0x80u) << 24 |
        __float_as_uint(__fmul_rn(__uint_as_float((code & 0x7fu) << 20), 0x1p120f)));
  }
  static __device__ float2 numbers(std::uint32_t codes) {
    return {number(codes & 0xffu), number(codes >> 8)};
  }
#endif
};

}  // namespace aisp::comm
