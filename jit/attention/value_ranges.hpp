// Bounds of what a score function computes, over all queries and keys of a problem: what is
// provably finite, and which integers are exact as f32.
#pragma once

#include <vector>

#include "jit/attention/position.hpp"
#include "tile/collective/attention/interval.hpp"
#include "tile/device/attention/problem.hpp"

namespace aisp::jit {

// No position is larger: how many sequences, heads, queries and keys of a sequence, and rows of
// packed tensors there are.
struct PositionLimits {
  double sequences, heads, queries, keys, query_rows, key_rows;
};
PositionLimits limits_of(const tile::device::AttentionProblem& problem);

// By value. Elements of f32 arrays, the score and what may be NaN are tile::interval::anything;
// conditions are 0 to 1.
std::vector<tile::Interval> value_ranges(const Function& function, const PositionLimits& limits);

}  // namespace aisp::jit
