// The fields of attention for the cache of plans.
#pragma once

#include "tile/device/attention/problem.hpp"
#include "tile/device/launch/problem_key.hpp"

namespace aisp::tile::device {

inline void add_fields(ProblemKey& key, const HeadTensor& tensor) {
  const auto& [data, element, row_stride, head_stride, batch_stride] = tensor;
  key.add(data, element, row_stride, head_stride, batch_stride);
}
inline void add_fields(ProblemKey& key, const AttentionProblem& problem) {
  const auto& [batch, query_heads, kv_heads, query_rows, kv_rows, head_size, q, k, v, o, scale,
               window_left, window_right, query_starts, kv_starts, query_total, kv_total,
               kv_lengths, page_table, page_rows, pages_per_sequence, pages, log_sum_exp, q_scales,
               k_scales, v_scales] = problem;
  key.add(batch, query_heads, kv_heads, query_rows, kv_rows, head_size, q, k, v, o, scale,
          window_left, window_right, query_starts, kv_starts, query_total, kv_total, kv_lengths,
          page_table, page_rows, pages_per_sequence, pages, log_sum_exp, q_scales, k_scales,
          v_scales);
}

}  // namespace aisp::tile::device
