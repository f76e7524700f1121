// Launch geometry shared by the target's rungs: one block per row of bf16.
#pragma once

#include <cstdint>

#include "chapters/ch09/common/geometry.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch09 {

struct RowGrid {
  unsigned rows;
  int threads;
  int vectors;  // 16-byte vectors per row
};

inline RowGrid row_grid(const lab::Launch& launch) {
  const int vectors = static_cast<int>(launch.dim(1) * lab::bytes_of(lab::Dtype::bf16) / 16);
  return {blocks_for(launch.dim(0), 1), row_threads(vectors), vectors};
}

}  // namespace aisp::ch09
