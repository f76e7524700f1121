// The cp.async instructions of sm_80: global to shared memory without a register in between.
#pragma once

namespace aisp::ch09 {

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// 4 bytes; `bytes` below 4 fills the rest with zeros (0 reads nothing at all).
__device__ inline void copy_4_async(void* shared, const void* global, int bytes = 4) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(shared)),
               "l"(global), "r"(bytes)
               : "memory");
}

// 16 bytes past L1, both addresses 16-byte aligned; `bytes` as above.
__device__ inline void copy_16_async(void* shared, const void* global, int bytes = 16) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)),
               "l"(global), "r"(bytes)
               : "memory");
}

__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Returns when at most `pending` of this thread's youngest groups are still in flight.
template <int pending>
__device__ inline void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace aisp::ch09
