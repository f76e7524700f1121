// The ways to read 16 bytes that differ in what the caches keep of them. All are of memory that
// nothing writes while the kernel runs.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace aisp::ch14 {

// L2's default: what came last goes last, whoever asked for it.
struct PlainLoads {
  __device__ __forceinline__ uint4 operator()(const uint4* from) const { return __ldg(from); }
};

// Not kept in L1. PTX has no such word for L2, which every load goes through.
struct NoAllocateLoads {
  __device__ __forceinline__ uint4 operator()(const uint4* from) const {
    uint4 v;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(from));
    return v;
  }
};

// With a policy of L2 that createpolicy made.
struct HintedLoads {
  std::uint64_t policy;

  __device__ __forceinline__ uint4 operator()(const uint4* from) const {
    uint4 v;
    asm("ld.global.nc.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(from), "l"(policy));
    return v;
  }
};

// The first to go when L2 needs room: for what is read once.
__device__ __forceinline__ HintedLoads evict_first() {
  HintedLoads loads;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(loads.policy));
  return loads;
}

// The last to go: for what is read again.
__device__ __forceinline__ HintedLoads evict_last() {
  HintedLoads loads;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(loads.policy));
  return loads;
}

}  // namespace aisp::ch14
