// Attention with one call. The kernels are compiled (aisp::attention); this header needs no nvcc.
//   tile::device::AttentionProblem problem{.batch = b, .query_heads = h, .kv_heads = h, ...};
//   problem.q = {.data = q, .row_stride = d, .head_stride = s * d, .batch_stride = h * s * d};
//   tile::device::attention(problem, stream);
// What the library does not take is refused by an exception whose text has the rule and the
// numbers.
#pragma once

#include <cuda_runtime_api.h>

#include "tile/device/attention/problem.hpp"
#include "tile/device/launch/launch_choice.hpp"
#include "tile/device/launch/plan.hpp"

namespace aisp::tile::device {

// Few queries per sequence go to the kernel that splits the keys between blocks, all others to the
// kernel with roles; on Blackwell all go to its own. Without `allocate` the plan has its own
// workspace.
Plan plan_attention(const AttentionProblem& problem, const Allocate& allocate = {});

// Plans and runs; plans are kept, and captured, as those of gemm() are.
void attention(const AttentionProblem& problem, cudaStream_t stream = nullptr);

}  // namespace aisp::tile::device
