// How many passes an access of a warp to shared memory takes.
#pragma once

#include <cstdint>

#include "sim/program/op.hpp"

namespace aisp::sim {

// Wavefronts beyond the least that an access of all active lanes at these shared offsets takes: 32
// banks of 4 bytes; wider accesses go in phases of 128 bytes.
int extra_wavefronts(const std::uint32_t* offsets, std::uint32_t bytes, Mask mask);

// The least: one for each phase that has an active lane.
int least_wavefronts(std::uint32_t bytes, Mask mask);

}  // namespace aisp::sim
