// Copies between pinned host memory and the device, named for the trace.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "lab/case/range.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch11 {

inline void copy_in(void* device, const void* host, std::int64_t bytes, cudaStream_t stream) {
  const lab::Range range("copy in");
  lab::check_cuda(cudaMemcpyAsync(device, host, static_cast<std::size_t>(bytes),
                                  cudaMemcpyHostToDevice, stream),
                  "copy in");
}

inline void copy_out(void* host, const void* device, std::int64_t bytes, cudaStream_t stream) {
  const lab::Range range("copy out");
  lab::check_cuda(cudaMemcpyAsync(host, device, static_cast<std::size_t>(bytes),
                                  cudaMemcpyDeviceToHost, stream),
                  "copy out");
}

}  // namespace aisp::ch11
