// Errors of the CUDA runtime as refusals.
#pragma once

#include <cuda_runtime_api.h>

#include "base/refuse.hpp"

namespace aisp::tile::device {

inline void check_cuda(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    base::refuse(base::Exit::environment, what, ": ", cudaGetErrorString(error));
}

}  // namespace aisp::tile::device
