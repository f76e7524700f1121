// Eight halves at a time, as floats: widening is exact, narrowing rounds to nearest even. What lies
// between may have been rounded to odd, so that the narrowing is the only rounding that shows.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace sim {

using Floats = float __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));
using Halves = std::uint16_t __attribute__((vector_size(16)));
using Floats4 = float __attribute__((vector_size(16)));
using Doubles4 = double __attribute__((vector_size(32)));
using Longs4 = std::int64_t __attribute__((vector_size(32)));
using Ints4 = std::int32_t __attribute__((vector_size(16)));

inline constexpr int half_block = 8;

inline Halves load_halves(const std::uint16_t* from) {
  Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  return halves;
}
inline void store_halves(std::uint16_t* to, Halves halves) {
  std::memcpy(to, &halves, sizeof halves);
}

inline Floats canonical(Floats x) {
  return x == x ? x : std::bit_cast<Floats>(Ints{} + 0x7fffffff);
}

struct Float16 {
  static constexpr float smallest_normal = 0x1p-14f;
  static Floats widen(Halves h) { return _mm256_cvtph_ps(std::bit_cast<__m128i>(h)); }
  static Halves narrow(Floats x) {
    return std::bit_cast<Halves>(_mm256_cvtps_ph(canonical(x), _MM_FROUND_TO_NEAREST_INT));
  }
};

struct BFloat16 {
  static Floats widen(Halves h) {
    return std::bit_cast<Floats>(__builtin_convertvector(h, Ints) << 16);
  }
  static Halves narrow(Floats x) {
    const Ints bits = std::bit_cast<Ints>(x);
    const Ints rounded = bits + 0x7fff + (bits >> 16 & 1);
    const Ints code = x == x ? rounded >> 16 & 0xffff : Ints{} + 0x7fff;
    const __m256i words = std::bit_cast<__m256i>(code);
    return std::bit_cast<Halves>(
        _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
  }
};

// The sum of a and b, rounded to odd: when it is not exact, the neighbour with an odd last bit.
template <class Real, class Bits>
[[gnu::always_inline]] inline Real sum_to_odd(Real a, Real b) {
  const Real sum = a + b;
  const Real b_part = sum - a;
  const Real rest = (a - (sum - b_part)) + (b - b_part);  // exact; NaN when sum is infinite or NaN
  const Bits bits = std::bit_cast<Bits>(sum);
  const Bits inexact = (rest < 0) | (rest > 0);
  const Bits even = (bits & 1) - 1;
  const Bits outward = (rest > 0) == (sum > 0);  // -1 where the exact sum is larger in magnitude
  return std::bit_cast<Real>(bits + (inexact & even & (-outward * 2 - 1)));
}

inline Ints4 narrow_mask(Longs4 mask) {
  const Ints words = std::bit_cast<Ints>(mask);
  return __builtin_shufflevector(words, words, 0, 2, 4, 6);
}

// Double to float, rounded to odd, subnormals and overflow included.
inline Floats4 to_odd_float(Doubles4 x) {
  const Floats4 nearest = __builtin_convertvector(x, Floats4);
  const Doubles4 back = __builtin_convertvector(nearest, Doubles4);
  constexpr std::int64_t magnitude = ~(std::int64_t{1} << 63);
  const Longs4 larger =
      (std::bit_cast<Longs4>(back) & magnitude) > (std::bit_cast<Longs4>(x) & magnitude);
  const Longs4 inexact = back != x;
  const Ints4 bits = std::bit_cast<Ints4>(nearest) + narrow_mask(larger);  // mask is -1
  return std::bit_cast<Floats4>(bits | (narrow_mask(inexact) & 1));
}

}  // namespace sim
