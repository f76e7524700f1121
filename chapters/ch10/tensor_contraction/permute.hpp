// The permutation that both contractions need before or behind a plain matrix product.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace aisp::ch10::permute {

// Of (outer, y, z, run), dense, where `run` counts bf16 numbers.
struct Shape {
  std::int64_t outer = 1, y = 1, z = 1, run = 8;
};

// (outer, y, z, run) becomes (outer, z, y, run). Runs and both addresses are multiples of 16 bytes.
void enqueue(const Shape& shape, const void* from, void* to, cudaStream_t stream);

}  // namespace aisp::ch10::permute
