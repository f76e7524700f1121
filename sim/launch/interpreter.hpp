// The innermost loop: one fragment of a warp for a number of instructions.
#pragma once

#include <cstdint>

#include "sim/machine/warp.hpp"

namespace sim {

enum class Stop : std::uint8_t {
  budget,   // it could go on
  waiting,  // fragment.wait says for what
  gone,     // its lanes have exited or have been merged into others
};

// Runs at most `budget` instructions, which it lowers by those done.
Stop run_fragment(Warp& warp, Fragment& fragment, std::uint32_t& budget);

}  // namespace sim
