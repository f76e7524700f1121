// Errors of the CUDA runtime as exceptions: a call leaves with one from some depth.
#pragma once

#include <string>

#include "base/refuse.hpp"
#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

struct ApiError {
  cudaError_t error;
  std::string reason = {};  // for the user, with numbers; "": the code says it all
};
inline void require(bool holds, cudaError_t error = cudaErrorInvalidValue) {
  if (!holds) throw ApiError{error};
}
inline void require(cudaError_t error) {
  if (error != cudaSuccess) throw ApiError{error};
}
// The same with the rule and the numbers, for a call whose code alone says little.
template <class... Parts>
void require_because(bool holds, cudaError_t error, const Parts&... parts) {
  if (!holds) throw ApiError{error, base::say(parts...)};
}

}  // namespace aisp::sim
