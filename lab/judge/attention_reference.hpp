// The float64 reference of attention, on all cores and in blocks that fit the caches.
#pragma once

#include <functional>
#include <vector>

#include "lab/case/tensor.hpp"
#include "lab/judge/attention_shape.hpp"

namespace aisp::lab {

// One query and `count` keys from `key` on.
struct PairRow {
  std::int64_t batch, head, query, key, count;
};
// Functions of pairs; each may be empty, and is called from several threads.
struct PairFunctions {
  // Which of the row's pairs are seen, all that are not false. Asked first: what nobody sees is
  // not multiplied.
  std::function<void(const PairRow&, bool* seen)> mask{};
  // What the row's scores become.
  std::function<void(const PairRow&, double* scores)> score{};
};

// o (batch, heads, queries, head_size); rows of a query that sees no key are zero. The head size is
// a multiple of 16.
void attention_reference(const AttentionShape& shape, const HostTensor& q, const HostTensor& k,
                         const HostTensor& v, std::vector<double>& o,
                         const PairFunctions& functions = {});

}  // namespace aisp::lab
