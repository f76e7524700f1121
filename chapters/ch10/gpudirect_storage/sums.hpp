// The function of gpudirect_storage: one sum of squares for every 4096 floats of a file. Cheap on
// purpose: what takes time is to get the file to the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace aisp::ch10 {

inline constexpr int sum_floats = 4096;  // that one sum is made of, and one block reads
inline constexpr int sum_threads = 256;
// A float goes through a chain of 16 fused multiply-adds, five exchanges in a warp and three more
// among the warps: so often it is rounded at most.
inline constexpr int sum_roundings = sum_floats / sum_threads + 5 + 3;

constexpr std::int64_t sums_of(std::int64_t floats) {
  return (floats + sum_floats - 1) / sum_floats;
}

// sums[j] = x[4096 j]^2 + … + x[4096 j + 4095]^2 for all `floats` of x; the last may be shorter.
// x must be aligned to 16 bytes.
void enqueue_sums(const float* x, float* sums, std::int64_t floats, cudaStream_t stream);

}  // namespace aisp::ch10
