// What the device is asked to do with memory, as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

// Rows of `width` bytes; planes of `height` rows. One row: plain cudaMemcpy. An array is the memory
// that it lies in.
struct CopyCall {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t to_pitch = 0, from_pitch = 0;        // bytes from row to row
  std::size_t to_plane = 0, from_plane = 0;        // bytes from plane to plane
  cudaMemcpyKind kind = cudaMemcpyDefault;         // as asked for; already judged
  std::shared_ptr<std::vector<std::byte>> staged;  // pageable source taken at submission
  // Of a copy with arrays: what a graph's node shows of it.
  std::shared_ptr<const cudaMemcpy3DParms> asked;
  std::size_t bytes() const { return width * height * depth; }
};

// `element` bytes (1, 2 or 4) of `value` over rows of `width` elements.
struct FillCall {
  void* to = nullptr;
  std::uint32_t value = 0;
  std::uint32_t element = 1;
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t pitch = 0, plane = 0;  // bytes
  std::size_t bytes() const { return width * element * height * depth; }
};

// Stream-ordered memory: the address exists from the submission on, the call only orders it.
struct AllocateCall {
  void* memory = nullptr;
  std::size_t bytes = 0;
  cudaMemPool_t pool = nullptr;
};
struct ReleaseCall {
  void* memory = nullptr;
};

// Of simulated time: charged for every copy, fill and host call.
inline constexpr double copy_latency = 1500;  // nanoseconds

}  // namespace aisp::sim
