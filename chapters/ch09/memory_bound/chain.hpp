// The constants of the eight elementwise steps, all exact in binary:
//   scale, shift, leaky relu, square, plus one, halve, square, clamp.
#pragma once

namespace aisp::ch09 {

inline constexpr float chain_scale = 1.5f;
inline constexpr float chain_shift = 0.25f;
inline constexpr float chain_leak = 0.125f;
inline constexpr float chain_ceiling = 3.0f;

}  // namespace aisp::ch09
