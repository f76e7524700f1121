// The latency-critical side of this target: requests, each a small product of a matrix and a
// vector that runs in a few microseconds once it is let in.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace aisp::ch11 {

inline constexpr int request_rows = 256, request_columns = 256;

// y (request_rows) = w (request_rows, request_columns) times x (request_columns)
void enqueue_request(const float* w, const float* x, float* y, cudaStream_t stream);

}  // namespace aisp::ch11
