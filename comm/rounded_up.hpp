// Arithmetic on counts that host and device code share.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define COMM_FN __host__ __device__ constexpr
#else
#define COMM_FN constexpr
#endif

namespace aisp::comm {

COMM_FN std::int64_t rounded_up(std::int64_t value, std::int64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace aisp::comm
