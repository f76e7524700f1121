// Arithmetic with a weight that can be chosen: a value y goes from 0 toward the solution of
// linear * y + y^3 = drive in a given number of small steps, three fused multiply-adds each. A step
// makes differences smaller, so that errors do not grow with the number of steps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lab/case/case.hpp"

namespace aisp::ch11 {

inline constexpr double relax_rate = 0x1p-8;
inline constexpr double relax_flops = 6;  // of one step

// One step of a reference for as many values as a vector of doubles has.
template <class Vector>
[[gnu::always_inline]] inline void relax_reference_step(Vector& y, const Vector& drive,
                                                        double linear) {
  y += relax_rate * (drive - y * (linear + y * y));
}

// With |drive| <= 1 and linear = 1 no value leaves [-0.69, 0.69]. What one step adds to the error
// is half a unit of the last place of y and relax_rate times a few such: less than 2^-24 together.
// The step multiplies what was there before by 1 - relax_rate at most, so that no more than
// 1 / relax_rate steps' worth of errors come together. A certain bound, not a likely one.
inline lab::Tolerance relax_tolerance(std::int64_t steps) {
  return {.relative = 0.0,
          .absolute = 0x1p-24 * std::min(static_cast<double>(steps), 1 / relax_rate)};
}

}  // namespace aisp::ch11
