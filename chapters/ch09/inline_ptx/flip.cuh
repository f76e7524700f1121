// The transform of inline_ptx: every bit of the array flipped, in 16-byte vectors, and the shape
// that its rungs share: blocks of 256 threads, one vector per thread and chunk.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lab/case/rung.hpp"

namespace aisp::ch09 {

inline constexpr int flip_threads = 256;
inline constexpr int flip_block = flip_threads;  // vectors per block or chunk: 4 KiB

__device__ __forceinline__ uint4 flip(uint4 v) { return {~v.x, ~v.y, ~v.z, ~v.w}; }

inline std::int64_t vectors_of(const lab::Launch& launch) { return launch.dim(0) / 16; }

}  // namespace aisp::ch09
