// One-sided exchange between ranks whose memory a kernel reaches: put, signal, wait. A rank writes
// into another's memory with plain stores, and tells it with a flag there; nobody takes part on the
// other side until it needs the data.
//
//   put                      all threads of the block store into the other rank's memory
//   __syncthreads();         the thread that signals has met all that put
//   if (leader) signal(flag of the other rank, epoch);
//   ...                      work that needs nothing of the others
//   if (leader) wait_until(own flag, epoch);
//   __syncthreads();         those that read have met the one that waited
//
// Flags count epochs and never go back while kernels run: a wait is for this epoch or a later one.
// What is written into a buffer again has to be read before: either its reader says so with a flag
// of its own, or there are two buffers and both ranks wait for each other in every epoch. Then who
// puts epoch e has found the other's signal of e - 1, behind which all its reads of e - 2 lie.
//
// A kernel that waits for another must not keep it from running: see co_resident_blocks in
// comm/symmetric.hpp.
#pragma once

#include <cstdint>

namespace aisp::comm {

// What the thread did, and what it knows of others by barriers, is seen by whoever waits for the
// epoch, on any device.
__device__ __forceinline__ void signal(std::uint32_t* flag, std::uint32_t epoch) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
}
// The same for threads of the same device only, at less cost.
__device__ __forceinline__ void signal_on_device(std::uint32_t* flag, std::uint32_t epoch) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
}

__device__ __forceinline__ void wait_until(const std::uint32_t* flag, std::uint32_t epoch) {
  std::uint32_t seen;
  do {
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (seen < epoch);
}
__device__ __forceinline__ void wait_until_on_device(const std::uint32_t* flag,
                                                     std::uint32_t epoch) {
  std::uint32_t seen;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (seen < epoch);
}

}  // namespace aisp::comm
