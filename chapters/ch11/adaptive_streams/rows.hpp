// The function of adaptive_streams: the values of a row relax, each toward its own drive and all
// toward the mean of the row. The mean ties a row together: it is the work of one block, and a
// chunk of few rows leaves most multiprocessors idle.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "chapters/ch11/common/relax.hpp"

namespace aisp::ch11 {

inline constexpr double coupling = 0.5;  // toward the mean, against 1 toward the own drive
// Of one value in one step: the mean's sum and its pull beside the step itself.
inline constexpr double row_flops = relax_flops + 2;

// In place; `values` must be aligned to 16 bytes.
void enqueue_rows(float* values, std::int64_t rows, int steps, cudaStream_t stream);

}  // namespace aisp::ch11
