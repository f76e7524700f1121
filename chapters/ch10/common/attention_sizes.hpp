// Sizes of the chapter's attention targets: which the ladder's kernels take, and the problem.
#pragma once

#include <algorithm>
#include <string>

#include "base/refuse.hpp"
#include "lab/judge/attention_problem.hpp"

namespace aisp::ch10 {

// Queries and keys of one sequence length, bf16; the variant `causal` hides later keys.
inline lab::Problem ladder_attention(const std::string& target, const lab::Size& size,
                                     std::int64_t batch, std::int64_t heads, std::int64_t kv_heads,
                                     std::int64_t rows, std::int64_t head_size) {
  if (head_size != 64 && head_size != 128)
    base::refuse(base::Exit::usage, target, " has kernels for heads of 64 and 128 elements: got D ",
                 head_size);
  return lab::attention_problem(target, size,
                                {.batch = batch,
                                 .heads = heads,
                                 .kv_heads = kv_heads,
                                 .queries = rows,
                                 .keys = rows,
                                 .head_size = head_size,
                                 .left = -1,
                                 .right = size.variant == "causal" ? 0 : -1},
                                lab::Dtype::bf16);
}

// 16384 tokens in sequences of that length, and a hidden width of 2048 in heads of that size.
inline std::int64_t batch_for(std::int64_t rows) {
  return std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(rows, 1));
}
inline std::int64_t heads_for(std::int64_t head_size) {
  return std::max<std::int64_t>(1, 2048 / std::max<std::int64_t>(head_size, 1));
}

}  // namespace aisp::ch10
