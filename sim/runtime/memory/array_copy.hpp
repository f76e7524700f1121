// Copies with CUDA arrays at one end or both. All throw ApiError.
#pragma once

#include "sim/runtime/memory/calls.hpp"

namespace aisp::sim {

// A place in an array as the 1D and 2D copies name it: bytes along the row, rows.
struct ArrayPlace {
  cudaArray_const_t array = nullptr;
  std::size_t x = 0, y = 0;
};

CopyCall rows_to_array(const ArrayPlace& to, const void* from, std::size_t from_pitch,
                       std::size_t width, std::size_t height, cudaMemcpyKind kind);
CopyCall rows_from_array(void* to, std::size_t to_pitch, const ArrayPlace& from, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind);
CopyCall rows_between_arrays(const ArrayPlace& to, const ArrayPlace& from, std::size_t width,
                             std::size_t height, cudaMemcpyKind kind);
// `bytes` in a row, and on in the next one.
CopyCall bytes_to_array(const ArrayPlace& to, const void* from, std::size_t bytes,
                        cudaMemcpyKind kind);
CopyCall bytes_from_array(void* to, const ArrayPlace& from, std::size_t bytes, cudaMemcpyKind kind);
CopyCall bytes_between_arrays(const ArrayPlace& to, const ArrayPlace& from, std::size_t bytes,
                              cudaMemcpyKind kind);

}  // namespace aisp::sim
