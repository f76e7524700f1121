// The polynomial of this target: degree 256, the same in every run, in kernels and in the
// reference. Magnitudes are random in [1/2, 1] on a grid that fp16 holds exactly; each sign is
// chosen so that Horner's intermediate values at x = 1 and x = -1 stay small. So |x| <= 1 is well
// conditioned, and near |x| = 1 every coefficient still matters to the result.
#pragma once

#include <array>

#include "lab/case/random.hpp"

namespace aisp::ch09 {

inline constexpr int degree = 256;

// coefficients[i] belongs to x^i.
inline constexpr std::array<float, degree + 1> coefficients = [] {
  std::array<float, degree + 1> made{};
  double at_one = 0.0, at_minus_one = 0.0;  // what Horner has after the coefficients so far
  for (int i = degree; i >= 0; --i) {
    const double grid = 1024.0;
    const auto bits = lab::philox(2026, 0, static_cast<unsigned>(i))[0];
    const double size = static_cast<int>(grid * (0.5 + 0.5 * lab::unit_interval(bits))) / grid;
    const auto larger = [&](double value) {
      const double plus = at_one + value, minus = value - at_minus_one;
      return plus * plus > minus * minus ? plus * plus : minus * minus;
    };
    const double value = larger(size) < larger(-size) ? size : -size;
    at_one += value;
    at_minus_one = value - at_minus_one;
    made[static_cast<std::size_t>(i)] = static_cast<float>(value);
  }
  return made;
}();

}  // namespace aisp::ch09
