// f32 to bf16 and back, on the current device; rounded to nearest even, a NaN stays one.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace aisp::ch14 {

void enqueue_to_bf16(void* to, const float* from, std::int64_t count, cudaStream_t stream);
void enqueue_from_bf16(float* to, const void* from, std::int64_t count, cudaStream_t stream);

}  // namespace aisp::ch14
