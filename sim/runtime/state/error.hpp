// Errors of the CUDA runtime as exceptions: a call leaves with one from some depth.
#pragma once

#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

struct ApiError {
  cudaError_t error;
};
inline void require(bool holds, cudaError_t error = cudaErrorInvalidValue) {
  if (!holds) throw ApiError{error};
}
inline void require(cudaError_t error) {
  if (error != cudaSuccess) throw ApiError{error};
}

}  // namespace aisp::sim
