// The rows of the video instructions, part of integer_rows().
#pragma once

#include <span>

#include "sim/program/opcode.hpp"

namespace aisp::sim {

std::span<const OpcodeRow> video_rows();

}  // namespace aisp::sim
