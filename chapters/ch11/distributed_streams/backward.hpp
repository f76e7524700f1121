// The backward pass of distributed_streams, one bucket of gradients at a time.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace aisp::ch11 {

// gradients[i] = sum over the samples (x, y) of x * (weights[i] * x - y), on the current device. A
// sample is two floats.
void enqueue_backward(float* gradients, const float* weights, const float* samples,
                      std::int64_t elements, std::int64_t sample_count, cudaStream_t stream);

}  // namespace aisp::ch11
