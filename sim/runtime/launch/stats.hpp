// What AISP_SIM_STATS=1 prints when the program ends: one paragraph per kernel.
#pragma once

#include <string>

#include "sim/launch/launch.hpp"

namespace aisp::sim {

void count_launch(const std::string& kernel, const LaunchResult& result);

}  // namespace aisp::sim
