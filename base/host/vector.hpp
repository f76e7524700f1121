// Vectors of the host, in the compiler's own vector extension: eight 32-bit lanes, which become one
// AVX2 register, two of SSE or two of NEON. What every host must answer alike is written here and
// not left to an instruction that only one of them has.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace aisp::base {

using Floats = float __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));
using Words = std::uint32_t __attribute__((vector_size(32)));
using Halves = std::uint16_t __attribute__((vector_size(16)));
using Doubles4 = double __attribute__((vector_size(32)));
using Longs4 = std::int64_t __attribute__((vector_size(32)));
using Floats4 = float __attribute__((vector_size(16)));
using Ints4 = std::int32_t __attribute__((vector_size(16)));

inline constexpr int vector_lanes = 8;

// From and to memory of any alignment.
template <class Vector>
[[gnu::always_inline]] inline Vector load(const void* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
template <class Vector>
[[gnu::always_inline]] inline void store(void* to, const Vector& vector) {
  std::memcpy(to, &vector, sizeof vector);
}

template <class Vector>
[[gnu::always_inline]] inline Vector larger(Vector a, Vector b) {
  return a > b ? a : b;
}
template <class Vector>
[[gnu::always_inline]] inline Vector smaller(Vector a, Vector b) {
  return a < b ? a : b;
}

// Whether a bit is set anywhere.
[[gnu::always_inline]] inline bool any(Longs4 bits) {
  return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

[[gnu::always_inline]] inline Ints4 low_half(Ints x) {
  return __builtin_shufflevector(x, x, 0, 1, 2, 3);
}
[[gnu::always_inline]] inline Ints4 high_half(Ints x) {
  return __builtin_shufflevector(x, x, 4, 5, 6, 7);
}
[[gnu::always_inline]] inline Floats joined(Floats4 low, Floats4 high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Written out because g++ makes one instruction of this and several of __builtin_convertvector.
[[gnu::always_inline]] inline Doubles4 to_doubles(Ints4 x) {
  return Doubles4{double(x[0]), double(x[1]), double(x[2]), double(x[3])};
}
[[gnu::always_inline]] inline Longs4 to_longs(Ints4 x) { return Longs4{x[0], x[1], x[2], x[3]}; }

// Vectors of as many lanes as another. (A compiler ignores the attribute in `using` here.)
template <class Integers>
struct FloatVector {
  typedef float type __attribute__((vector_size(sizeof(Integers))));
};
template <class Numbers>
struct IntVector {
  typedef std::int32_t type __attribute__((vector_size(sizeof(Numbers))));
};

// f16 codes in the low half of each lane (the upper half is zero) <-> f32. Widening is exact and
// keeps the bits of a NaN; narrowing rounds to nearest even and makes every NaN 0x7fff. The
// processor must round to nearest and keep subnormal numbers.
template <class Integers>
[[gnu::always_inline]] inline auto floats_of_f16(Integers codes) {
  using Ints = typename IntVector<Integers>::type;
  using Floats = typename FloatVector<Integers>::type;
  constexpr int rebias = (127 - 15) << 23;
  const Ints magnitude = codes & 0x7fff;
  const Ints top = magnitude > 0x7bff;  // infinity and NaN keep an exponent of all ones
  const Ints normal = (magnitude << 13) + rebias + (top & rebias);
  const Floats subnormal = __builtin_convertvector(magnitude, Floats) * 0x1p-24f;
  const Ints value = magnitude < 0x400 ? std::bit_cast<Ints>(subnormal) : normal;
  return std::bit_cast<Floats>(value | (codes & 0x8000) << 16);
}
template <class Numbers>
[[gnu::always_inline]] inline auto f16_of_floats(Numbers x) {
  using Ints = typename IntVector<Numbers>::type;
  using Floats = typename FloatVector<Numbers>::type;
  constexpr int rebias = (127 - 15) << 23, smallest_normal = 0x38800000, half = 0x3f000000;
  const Ints bits = std::bit_cast<Ints>(x), magnitude = bits & 0x7fffffff;
  const Ints rebiased = magnitude - (rebias - 0xfff);  // first, or a NaN's bits overflow
  const Ints normal = (rebiased + (magnitude >> 13 & 1)) >> 13;
  // The last bit of numbers in [1/2, 1) is worth 2^-24, as that of subnormal halves.
  const Ints subnormal = std::bit_cast<Ints>(std::bit_cast<Floats>(magnitude) + 0.5f) - half;
  Ints code = magnitude < smallest_normal ? subnormal : normal;
  code = magnitude >= 0x477ff000 ? Ints{} + 0x7c00 : code;  // from 65520 on
  code |= bits >> 16 & 0x8000;
  return magnitude > 0x7f800000 ? Ints{} + 0x7fff : code;
}

}  // namespace aisp::base
