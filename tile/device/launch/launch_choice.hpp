// What a plan is made with besides the problem, and what it becomes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

#include "tile/schedule/launch_choice.hpp"

namespace aisp::tile::device {

using tile::LaunchChoice;

// Gives device memory that outlives the plan.
using Allocate = std::function<void*(std::size_t bytes)>;
using PlannedRun = std::function<void(cudaStream_t)>;

}  // namespace aisp::tile::device
