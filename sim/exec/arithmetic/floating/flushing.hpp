// .ftz without the help of the host's control register, for hosts that call a result subnormal
// before they round it (AArch64). NVIDIA hardware and x86 round first, with an unbounded exponent:
// what rounds up to the smallest normal number is kept.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace aisp::sim {

inline constexpr float smallest_normal_f32 = 0x1p-126f;

// Results near the smallest normal number are computed again this many times as large, where float
// has all its bits: below `bound` they were subnormal.
inline constexpr float tiny_scale = 0x1p64f;
inline constexpr float tiny_bound = smallest_normal_f32 * tiny_scale;

inline float without_subnormal(float x) {
  return std::fabs(x) < smallest_normal_f32 ? std::copysign(0.0f, x) : x;
}

// `result` was rounded as a subnormal would be. `again` computes tiny_scale times the result; it
// is asked only where the answer can differ.
template <class Again>
[[gnu::always_inline]] inline float flushed_result(float result, Again again) {
  const float magnitude = std::fabs(result);
  if (magnitude < smallest_normal_f32) return std::copysign(0.0f, result);
  if (magnitude == smallest_normal_f32 && std::fabs(again()) < tiny_bound)
    return std::copysign(0.0f, result);
  return result;
}

// Calculate with .ftz. `Calculate::scaled` computes tiny_scale times the result of operands that
// are zero or normal and whose result is about the smallest normal number.
template <class Calculate>
struct Flushed {
  template <class... Floats>
  requires std::is_invocable_v<Calculate, Floats...>
  float operator()(Floats... operands) const { return apply(without_subnormal(operands)...); }

 private:
  template <class... Floats>
  static float apply(Floats... operands) {
    return flushed_result(Calculate{}(operands...), [&] { return Calculate::scaled(operands...); });
  }
};

}  // namespace aisp::sim
