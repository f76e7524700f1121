// Copies of rows and boxes as the driver describes them. All throw.
#pragma once

#include "sim/cuda/driver.hpp"
#include "sim/runtime/memory/calls.hpp"

namespace aisp::sim::driver {

CopyCall copy_described(const CUDA_MEMCPY2D& parameters);
CopyCall copy_described(const CUDA_MEMCPY3D& parameters);
CopyCall copy_described(const CUDA_MEMCPY3D_PEER& parameters);

// And back, for graphs that show what their nodes do.
CUDA_MEMCPY3D described(const CopyCall& call);

}  // namespace aisp::sim::driver
