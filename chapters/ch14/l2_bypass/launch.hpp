// How the rungs of l2_bypass are launched, and what they leave of L2 to each other.
#pragma once

#include <vector_types.h>

#include "lab/case/rung.hpp"

namespace aisp::ch14 {

inline constexpr int beside_threads = 256;
inline constexpr int beside_warps = beside_threads / 32;

using BesideKernel = void(const uint4* stream, const uint4* hot, uint4* y, std::uint32_t groups,
                          std::uint32_t lines);

enum class Window { none, hot_set };

// With Window::hot_set the lines of the hot set persist in the part of L2 that is set aside for
// such, as many of them as it holds. That part and the lines in it outlive a launch, and rungs take
// turns: every run of every rung begins without such lines and with the part that it wants.
lab::Run run_beside(lab::Setup& setup, BesideKernel* kernel, Window window = Window::none);

}  // namespace aisp::ch14
