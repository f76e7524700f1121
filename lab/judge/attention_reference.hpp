// The float64 reference of attention, on all cores and in blocks that fit the caches.
#pragma once

#include <functional>
#include <vector>

#include "lab/case/tensor.hpp"
#include "lab/judge/attention_shape.hpp"

namespace aisp::lab {

// Scores of one query and the keys from `key` on, which it may change; minus infinity: not seen.
// Called from several threads.
struct ScoreRow {
  std::int64_t batch, head, query, key, count;
  double* scores;
};
using ChangeScores = std::function<void(const ScoreRow&)>;

// o (batch, heads, queries, head_size); rows of a query that sees no key are zero. The head size is
// a multiple of 16.
void attention_reference(const AttentionShape& shape, const HostTensor& q, const HostTensor& k,
                         const HostTensor& v, std::vector<double>& o,
                         const ChangeScores& change = {});

}  // namespace aisp::lab
