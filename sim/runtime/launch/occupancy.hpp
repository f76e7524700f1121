// Occupancy queries, by the rules and with the error codes of the hardware.
#pragma once

#include <cstddef>

#include "sim/runtime/module/module.hpp"

namespace aisp::sim {

// How many blocks of the kernel one SM holds, by what the launch asks for; 0 when none fits.
int blocks_per_sm(Kernel& kernel, int threads, std::size_t dynamic_shared);
// Dynamic shared memory that each of so many blocks on one SM can have.
std::size_t available_dynamic_shared(Kernel& kernel, int blocks, int threads);

// Clusters of the launch that the device holds at once; the largest cluster of which it holds one.
int active_clusters(Kernel& kernel, const cudaLaunchConfig_t& config);
int largest_cluster(Kernel& kernel, const cudaLaunchConfig_t& config);

}  // namespace aisp::sim
