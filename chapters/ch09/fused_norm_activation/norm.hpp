// What fused_norm_activation computes: out = silu(x / rms(x) * gain) + residual, row by row, with
// rms(x) = sqrt(mean of squares + norm_epsilon).
#pragma once

namespace aisp::ch09 {

inline constexpr float norm_epsilon = 1e-6f;

}  // namespace aisp::ch09
