// What kernels did between two calls, for a program that asks the simulator in place of a clock
// (sim/cudart/count.cpp).
#pragma once

#include <string>

#include "sim/launch/launch.hpp"
#include "sim/watch/traffic.hpp"

namespace aisp::sim {

// Begins at zero. False where it cannot be: somebody else is looking on (the checker), and kernels
// have room for one.
bool start_counting();
void stop_counting();
// A JSON object with one number per count.
std::string read_counts();

// What looks on while a kernel runs, null when nothing is counted; `counted` after it ran.
watch::Traffic* traffic_of_kernels();
void counted(const LaunchResult& result);

}  // namespace aisp::sim
