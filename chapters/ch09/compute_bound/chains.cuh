// What the rungs share. A chain is one running value of Horner's rule: a float, a half, or a packed
// pair of halves. Coefficients are kept as bits, so that no step converts anything.
#pragma once

#include <cuda_fp16.h>

#include <bit>

#include "chapters/ch09/compute_bound/polynomial.hpp"

namespace aisp::ch09 {

// The bits of an fp16 number in [1/2, 1] or [-1, -1/2] on a grid of 2^-10.
constexpr unsigned half_bits(float value) {
  const unsigned sign = value < 0 ? 0x8000u : 0u;
  const float size = value < 0 ? -value : value;
  return sign | (size == 1.0f ? 0x3c00u : 0x3400u + static_cast<unsigned>(size * 2048.0f));
}
static_assert(half_bits(0.5f) == 0x3800 && half_bits(-1.0f) == 0xbc00 &&
              half_bits(0.75f) == 0x3a00);

// What a chain type needs: bits of a coefficient, a value from bits, a multiply-add.
template <class Chain>
struct Arithmetic;

template <>
struct Arithmetic<float> {
  static constexpr unsigned bits(float coefficient) { return std::bit_cast<unsigned>(coefficient); }
  __device__ static float from(unsigned bits) { return __uint_as_float(bits); }
  __device__ static float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
};

template <>
struct Arithmetic<__half> {
  static constexpr unsigned bits(float coefficient) { return half_bits(coefficient); }
  __device__ static __half from(unsigned bits) {
    return __ushort_as_half(static_cast<unsigned short>(bits));
  }
  __device__ static __half multiply_add(__half a, __half b, __half c) { return __hfma(a, b, c); }
};

template <>
struct Arithmetic<__half2> {
  static constexpr unsigned bits(float coefficient) { return half_bits(coefficient) * 0x10001u; }
  __device__ static __half2 from(unsigned bits) { return *reinterpret_cast<const __half2*>(&bits); }
  __device__ static __half2 multiply_add(__half2 a, __half2 b, __half2 c) {
    return __hfma2(a, b, c);
  }
};

struct CoefficientBits {
  unsigned at[degree + 1];
};

template <class Chain>
inline constexpr CoefficientBits coefficient_bits = [] {
  CoefficientBits made{};
  for (int i = 0; i <= degree; ++i)
    made.at[i] = Arithmetic<Chain>::bits(coefficients[static_cast<std::size_t>(i)]);
  return made;
}();

// Four floats or four pairs of halves, loaded and stored as 16 bytes at once.
template <class Chain>
struct alignas(16) Chains16 {
  Chain chain[4];

  __device__ static Chains16 load(const Chains16* from) {
    const uint4 raw = *reinterpret_cast<const uint4*>(from);
    using Math = Arithmetic<Chain>;
    return {{Math::from(raw.x), Math::from(raw.y), Math::from(raw.z), Math::from(raw.w)}};
  }
  __device__ void store(Chains16* to) const {
    *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(this);
  }
};

}  // namespace aisp::ch09
