// What cooperative_persistent computes, step after step: every element becomes the mean of itself
// and its two neighbours on either side with the weights 1 4 6 4 1; outside the array is zero. And
// the tile that all rungs share. Counted in vectors of four floats.
#pragma once

#include <cstdint>

namespace aisp::ch10 {

// The weights of an element, its neighbours and theirs: exact in binary.
inline constexpr float centre_weight = 0.375f, near_weight = 0.25f, far_weight = 0.0625f;
inline constexpr int smooth_roundings = 4;  // of one element in one step

inline constexpr int smooth_threads = 512;
inline constexpr int vectors_per_thread = 2;
inline constexpr int tile_vectors = smooth_threads * vectors_per_thread;

// Where the blocks of a launch that stays on the device meet; all 0 between launches.
struct Board {
  std::uint32_t arrived;  // at meetings, all of the launch together
  std::uint32_t left;     // blocks that have finished
};

}  // namespace aisp::ch10
