// The stencil of two_stage_pipeline: y[i] = sum over |k| <= 16 of weight(k) * x[i + k], with x zero
// outside the array. Weights fall linearly from the centre and are exact in binary.
#pragma once

namespace aisp::ch09 {

inline constexpr int stencil_radius = 16;
inline constexpr int stencil_taps = 2 * stencil_radius + 1;

// weight(k) = (17 - |k|) / 512; their sum is 289 / 512.
inline constexpr float stencil_unit = 0x1p-9f;
inline constexpr double stencil_weight_sum = 289.0 / 512.0;

// One block works on tiles of this many outputs; the tile in shared memory has a radius more on
// each side.
inline constexpr int stencil_threads = 1024;
inline constexpr int stencil_tile = 8192;
inline constexpr int stencil_tile_and_halo = stencil_tile + 2 * stencil_radius;

}  // namespace aisp::ch09
