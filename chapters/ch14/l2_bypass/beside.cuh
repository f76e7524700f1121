// The one kernel of l2_bypass: a warp for each group of records, eight lanes for each record and
// its line of the hot set, 16 bytes a lane. Rungs differ in how stream and hot set are read.
#pragma once

#include <cuda_runtime.h>

#include "chapters/ch14/l2_bypass/launch.hpp"
#include "chapters/ch14/l2_bypass/ptx.cuh"
#include "chapters/ch14/l2_bypass/records.hpp"

namespace aisp::ch14 {

inline constexpr int line_lanes = line_words / 4;        // that read a line
inline constexpr int records_at_once = 32 / line_lanes;  // by a warp

__device__ __forceinline__ void add(uint4& sum, uint4 a, uint4 b) {
  sum.x += a.x ^ b.x;
  sum.y += a.y ^ b.y;
  sum.z += a.z ^ b.z;
  sum.w += a.w ^ b.w;
}

template <class StreamLoads, class HotLoads>
__device__ __forceinline__ void sum_beside(const uint4* stream, const uint4* hot, uint4* y,
                                           std::uint32_t groups, std::uint32_t lines,
                                           StreamLoads of_stream, HotLoads of_hot) {
  const std::uint32_t group = blockIdx.x * beside_warps + threadIdx.x / 32;
  if (group >= groups) return;
  const std::uint32_t lane = threadIdx.x % 32, at = lane % line_lanes;
  const std::uint32_t first = group * group_records + lane / line_lanes;
  uint4 sum{0, 0, 0, 0};
  // Eight 16-byte loads of a lane under way: enough to be bound by bandwidth.
#pragma unroll 4
  for (int i = 0; i < group_records; i += records_at_once) {
    const std::uint32_t record = first + i;
    add(sum, of_stream(stream + std::uint64_t{record} * line_lanes + at),
        of_hot(hot + std::uint64_t{hot_line(record, lines)} * line_lanes + at));
  }
#pragma unroll
  for (int apart = line_lanes; apart < 32; apart *= 2) {
    sum.x += __shfl_xor_sync(~0u, sum.x, apart);
    sum.y += __shfl_xor_sync(~0u, sum.y, apart);
    sum.z += __shfl_xor_sync(~0u, sum.z, apart);
    sum.w += __shfl_xor_sync(~0u, sum.w, apart);
  }
  if (lane < line_lanes) y[std::uint64_t{group} * line_lanes + at] = sum;
}

}  // namespace aisp::ch14
