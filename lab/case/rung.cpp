#include "lab/case/rung.hpp"

#include "base/refuse.hpp"

namespace aisp::lab {

void check_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw CudaError(
      error, base::say(what, ": ", cudaGetErrorName(error), " (", cudaGetErrorString(error), ")"));
}

}  // namespace aisp::lab
