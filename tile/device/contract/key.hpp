// The fields of contractions for the cache of plans.
#pragma once

#include "tile/device/contract/problem.hpp"
#include "tile/device/launch/problem_key.hpp"

namespace aisp::tile::device {

inline void add_fields(ProblemKey& key, const ContractionTensor& tensor) {
  const auto& [modes, extents, strides, element, data] = tensor;
  key.add(modes, extents, strides, element, data);
}
inline void add_fields(ProblemKey& key, const ContractionProblem& problem) {
  const auto& [a, b, d, alpha] = problem;
  key.add(a, b, d, alpha);
}

}  // namespace aisp::tile::device
