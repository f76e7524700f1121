// An array as one end of a copy. Both functions throw ApiError.
#pragma once

#include <cstddef>

#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

// cudaMemcpy3D: what an array gives to a copy of `extent` texels from `position` on.
struct ArrayEnd {
  std::byte* at = nullptr;
  std::size_t pitch = 0, plane = 0, texel = 0;
  int device = 0;
};
ArrayEnd end_in_array(cudaArray_const_t array, const cudaPos& position, const cudaExtent& extent);
void require_direction(bool to_array, bool from_array, cudaMemcpyKind kind);

}  // namespace aisp::sim
