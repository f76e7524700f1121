// Eight halves at a time, as floats: widening is exact, narrowing rounds to nearest even. What lies
// between may have been rounded to odd, so that the narrowing is the only rounding that shows.
#pragma once

#include <bit>
#include <cstdint>

#include "base/host/vector.hpp"

namespace aisp::sim {

using base::Doubles4;
using base::Floats;
using base::Floats4;
using base::Halves;
using base::Ints;
using base::Ints4;
using base::Longs4;
using base::Words;

inline constexpr int half_block = base::vector_lanes;

inline Halves load_halves(const std::uint16_t* from) { return base::load<Halves>(from); }
inline void store_halves(std::uint16_t* to, Halves halves) { base::store(to, halves); }

// Codes are in the low half of each lane.
struct Float16 {
  static constexpr float smallest_normal = 0x1p-14f;
  static Floats widen_codes(Ints codes) { return base::floats_of_f16(codes); }
  static Ints narrow_to_codes(Floats x) { return base::f16_of_floats(x); }
};

struct BFloat16 {
  static Floats widen_codes(Ints codes) { return std::bit_cast<Floats>(codes << 16); }
  static Ints narrow_to_codes(Floats x) {
    const auto bits = std::bit_cast<Words>(x);
    const Words rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return x == x ? std::bit_cast<Ints>(rounded) : Ints{} + 0x7fff;
  }
};

template <class Format>
[[gnu::always_inline]] inline Floats widen(Halves halves) {
  return Format::widen_codes(__builtin_convertvector(halves, Ints));
}
template <class Format>
[[gnu::always_inline]] inline Halves narrow(Floats x) {
  return __builtin_convertvector(Format::narrow_to_codes(x), Halves);
}

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

}  // namespace aisp::sim
