// The patches that a filter sees as rows of a matrix in memory: row (n, p, q), column (r, s, c).
#pragma once

#include <cuda_runtime_api.h>

#include "lab/judge/conv_problem.hpp"

namespace aisp::ch10::im2col {

// `patches` holds conv.pixels() rows of conv.depth() bf16 numbers; both addresses are multiples of
// 16 bytes.
void enqueue(const lab::ConvShape& conv, const void* x, void* patches, cudaStream_t stream);

}  // namespace aisp::ch10::im2col
