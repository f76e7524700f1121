// The fields of GEMMs for the cache of plans.
#pragma once

#include "tile/device/gemm/problem.hpp"
#include "tile/device/launch/problem_key.hpp"

namespace aisp::tile::device {

inline void add_fields(ProblemKey& key, const Matrix& matrix) {
  const auto& [data, element, stride, major, batch_stride, scaling, scales, matrix_scale] = matrix;
  key.add(data, element, stride, major, batch_stride, scaling, scales, matrix_scale);
}
inline void add_fields(ProblemKey& key, const Bias& bias) {
  const auto& [data, along] = bias;
  key.add(data, along);
}
inline void add_fields(ProblemKey& key, const GemmProblem& problem) {
  const auto& [m, n, k, batch, a, b, c, d, alpha, beta, bias, activation] = problem;
  key.add(m, n, k, batch, a, b, c, d, alpha, beta, bias, activation);
}

}  // namespace aisp::tile::device
