// Launches of this target's kernels: row length in 16-byte vectors, and the element type by
// variant.
#pragma once

#include <cstdint>

#include "chapters/ch09/common/geometry.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch09 {

// Threads of the kernels that walk over a row instead of holding it.
inline constexpr int walk_threads = 256;

inline bool is_bf16(const lab::Launch& launch) {
  return launch.problem.inputs.at(0).dtype == lab::Dtype::bf16;
}

inline int row_vectors(const lab::Launch& launch) {
  return static_cast<int>(launch.dim(1) * lab::bytes_of(launch.problem.inputs.at(0).dtype) / 16);
}

}  // namespace aisp::ch09
