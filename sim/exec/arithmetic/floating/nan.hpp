// Which NaN an instruction returns, as on NVIDIA hardware: f32 and the halves know one NaN, all
// ones without sign; f64 passes an operand's NaN on, made quiet, and makes 0xfff8000000000000.
#pragma once

#include <bit>
#include <cstdint>

#include "base/host/float_control.hpp"

namespace aisp::sim {

inline constexpr std::uint64_t quiet_bit = std::uint64_t{1} << 51;

[[gnu::always_inline]] inline double quiet(double nan) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | quiet_bit);
}

// The host's result, with NaN settled; .sat clamps to [0, 1] and makes NaN +0.
template <bool saturate, class... Operands>
[[gnu::always_inline]] inline float finish(float result, Operands...) {
  if constexpr (saturate) return result > 0.0f ? (result < 1.0f ? result : 1.0f) : 0.0f;
  return result == result ? result : std::bit_cast<float>(0x7fffffffu);
}

// f64 has no .sat. x86 makes the same NaN; which operand's it passes on when two are NaN depends on
// how the compiler orders them, so that is chosen here.
template <bool saturate>
[[gnu::always_inline]] inline double finish(double result, double a) {
  double made = result;
  if constexpr (!base::host::default_nan_is_negative)
    made = result == result ? result : std::bit_cast<double>(std::uint64_t{0xfff8} << 48);
  return a == a ? made : quiet(a);
}
template <bool saturate>
[[gnu::always_inline]] inline double finish(double result, double a, double b) {
  return b == b ? finish<saturate>(result, a) : quiet(b);
}
template <bool saturate>
[[gnu::always_inline]] inline double finish(double result, double a, double b, double c) {
  return b == b ? (c == c ? finish<saturate>(result, a) : quiet(c)) : quiet(b);
}

}  // namespace aisp::sim
