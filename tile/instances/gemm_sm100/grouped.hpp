// The grouped products of Blackwell, compiled for it alone.
#pragma once

#include <span>

#include "tile/device/gemm/problem.hpp"
#include "tile/device/launch/launch_choice.hpp"

namespace aisp::tile::device {

// bf16, f16, or e4m3 into bf16, as the first problem says.
GemmRun plan_grouped_sm100(std::span<const GemmProblem> problems, const Raster& raster,
                           const Allocate& allocate);

}  // namespace aisp::tile::device
