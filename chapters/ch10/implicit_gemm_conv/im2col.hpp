// The patches that a filter sees as rows of a matrix in memory, and columns added up into images.
#pragma once

#include <cuda_runtime_api.h>

#include "lab/judge/conv_problem.hpp"

namespace aisp::ch10::im2col {

// Row (n, p, q), column (group, r, s, c) of conv.pixels() rows; elements of so many bytes. Both
// addresses are multiples of 16 bytes.
void enqueue(const lab::ConvShape& conv, int element_bytes, const void* x, void* patches,
             cudaStream_t stream);

// The other way: each pixel of dx (bf16) is the sum of what the taps that met it hold for it in
// `columns`, f32, with rows and columns as above. One group.
void add_up(const lab::ConvShape& conv, const void* columns, void* dx, cudaStream_t stream);

}  // namespace aisp::ch10::im2col
