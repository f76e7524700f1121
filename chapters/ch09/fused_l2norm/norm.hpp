// What fused_l2norm computes: y = x / max(|row|_2, floor), row by row.
#pragma once

namespace aisp::ch09 {

// The floor keeps a zero row finite. It is far below where squares underflow in float (1e-23), so
// small rows are a test of the scaled accumulation, too.
inline constexpr float norm_floor = 1e-30f;

}  // namespace aisp::ch09
