// Elementary functions in double precision, good to about 1e-13, written without branches or
// calls so that a loop over lanes vectorises. Rounded to f32 they are correct to half an ulp for
// all but about one argument in a million.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace aisp::sim {

inline constexpr double infinity = __builtin_inf();
inline constexpr double not_a_number = __builtin_nan("");
inline constexpr double to_integer = 0x1.8p52;  // adding it rounds to an integer in the low bits

// 2^x for the range of f32 results: Taylor in |r| <= 1/2, then the exponent.
[[gnu::always_inline]] inline double exp2_of(double x) {
  const double bounded = x < -160.0 ? -160.0 : (x > 130.0 ? 130.0 : x);
  const double shifted = bounded + to_integer;
  const double r = (bounded - (shifted - to_integer)) * 0.693147180559945309417;
  double sum = 1.0 / 479001600;
  constexpr double inverse_factorials[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                           1.0 / 5040,     1.0 / 720,     1.0 / 120,    1.0 / 24,
                                           1.0 / 6,        0.5,           1.0,          1.0};
#pragma GCC unroll 12
  for (double factor : inverse_factorials) sum = std::fma(sum, r, factor);
  const auto scale = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  const double result = sum * std::bit_cast<double>(scale);
  return x == x ? result : x;
}

// Series of atanh around 1 for the significand in [sqrt(1/2), sqrt(2)).
[[gnu::always_inline]] inline double log2_of(double x) {
  constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdu;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t steps = (bits - sqrt_half) & 0xfff0000000000000u;
  const double m = std::bit_cast<double>(bits - steps);
  // The exponent is in [-1075, 1024]; offset by 2048 it converts by its place in a significand.
  const double exponent =
      std::bit_cast<double>((((steps >> 52) + 2048) & 4095) | 0x4330000000000000u) - 0x1p52 -
      2048.0;
  const double s = (m - 1.0) / (m + 1.0), square = s * s;
  double sum = 1.0 / 21;
  constexpr double inverse_odds[] = {1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                     1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
#pragma GCC unroll 10
  for (double factor : inverse_odds) sum = std::fma(sum, square, factor);
  const double result = std::fma(sum * s, 2.88539008177792681472, exponent);
  const double regular = x < infinity ? result : x;
  return x > 0.0 ? regular : (x == 0.0 ? -infinity : not_a_number);
}

// x / (2 pi) as hardware prepares an angle: a product with an f32 constant truncated to f32, whose
// fraction is truncated to steps of 2^-25 turns. Large angles are whole turns, infinite ones NaN.
[[gnu::always_inline]] inline double turns_of(double x) {
  constexpr std::uint64_t f32_bits = ~((std::uint64_t{1} << 29) - 1);
  const double product = x * 0x1.45f306p-3;
  const double t =
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(std::fabs(product)) & f32_bits);
  const double steps = std::floor((t - std::floor(t)) * 0x1p25);
  return std::copysign(steps * 0x1p-25, x);
}

// sin(2 pi t) for t in [-1, 1.25].
[[gnu::always_inline]] inline double sine_of_turns(double t) {
  const double near = t - ((t + to_integer) - to_integer);  // [-1/2, 1/2]
  const double turn = near == 0.0 ? std::copysign(near, t) : near;
  const double mirrored = turn > 0.25 ? 0.5 - turn : (turn < -0.25 ? -0.5 - turn : turn);
  const double angle = mirrored * 6.28318530717958647693, square = angle * angle;
  double sum = 1.0 / 355687428096000;
  constexpr double factors[] = {
      -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
      -1.0 / 5040,          1.0 / 120,        -1.0 / 6,        1.0};
#pragma GCC unroll 8
  for (double factor : factors) sum = std::fma(sum, square, factor);
  return sum * angle;
}

[[gnu::always_inline]] inline double tanh_of(double x) {
  const double magnitude = std::fabs(x);
  const double e = exp2_of(magnitude * 2.88539008177792681472);
  const double large = 1.0 - 2.0 / (e + 1.0);
  const double small = magnitude - magnitude * magnitude * magnitude * (1.0 / 3);
  return std::copysign(magnitude < 0x1p-12 ? small : large, x);
}

}  // namespace aisp::sim
