// The innermost loop: one lane group of a warp for a number of instructions.
#pragma once

#include <cstdint>

#include "sim/machine/warp.hpp"

namespace aisp::sim {

enum class Stop : std::uint8_t {
  budget,   // it could go on
  waiting,  // LaneGroup::wait says for what
  gone,     // its lanes have exited or have been merged into others
};

// Runs at most `budget` instructions, which it lowers by those done.
Stop run_group(Warp& warp, LaneGroup& lane_group, std::uint32_t& budget);

}  // namespace aisp::sim
