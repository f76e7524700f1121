// Attention as the ladder's kernels take it: q and o (batch, heads, rows, size), k and v
// (batch, kv heads, rows, size), bf16, dense.
#pragma once

#include <cmath>

#include "lab/case/rung.hpp"
#include "tile/layout/target.hpp"

namespace aisp::ch10 {

struct AttentionArgs {
  const void *q, *k, *v;
  void* o;
  int all_heads;  // query heads of all sequences
  int sharing;    // neighbouring query heads with the same keys and values
  int rows;       // of a sequence: queries and keys
  bool causal;
  float scale;

  // Keys that any of the queries before `end` sees.
  TILE_FN int keys_before(int end) const { return causal && end < rows ? end : rows; }
  // The last key that a query sees.
  TILE_FN int last_key(int query) const { return causal && query < rows ? query : rows - 1; }
};

inline std::int64_t head_size(const lab::Problem& problem) { return problem.inputs[0].shape[3]; }

inline AttentionArgs attention_args(const lab::Launch& launch) {
  const auto& q = launch.problem.inputs[0].shape;
  const auto& k = launch.problem.inputs[1].shape;
  return {.q = launch.in<void>(0),
          .k = launch.in<void>(1),
          .v = launch.in<void>(2),
          .o = launch.out<void>(0),
          .all_heads = static_cast<int>(q[0] * q[1]),
          .sharing = static_cast<int>(q[1] / k[1]),
          .rows = static_cast<int>(q[2]),
          .causal = launch.problem.size.variant == "causal",
          .scale = 1.0f / std::sqrt(static_cast<float>(q[3]))};
}

}  // namespace aisp::ch10
