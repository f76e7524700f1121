// tcgen05 access to tensor memory (TMEM): 128 lanes of 512 columns of 32 bits per multiprocessor.
// Warp w of a block reaches lanes 32 w to 32 w + 31; an address is lane << 16 | column. Everything
// here is for sm_100a and traps elsewhere.
#pragma once

#include "chapters/ch09/inline_ptx/ptx.cuh"

namespace aisp::ch09::ptx {

// One whole warp: reserves `columns` (a power of two, at least 32) and writes their address to
// shared memory; waits while the multiprocessor has none. The same warp gives them back.
template <int columns>
__device__ __forceinline__ void tmem_allocate(std::uint32_t* address_smem) {
  static_assert(columns >= 32 && columns <= 512 && (columns & (columns - 1)) == 0,
                "tensor memory is allocated in powers of two from 32 to 512 columns");
  if constexpr (has_tensor_memory)
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                     smem_address(address_smem)),
                 "n"(columns)
                 : "memory");
  else
    __trap();
}

// One whole warp, after its last allocation: lets other blocks of the multiprocessor allocate.
__device__ __forceinline__ void tmem_relinquish() {
  if constexpr (has_tensor_memory)
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  else
    __trap();
}

// The warp that allocated, after every access has completed and before the block ends.
template <int columns>
__device__ __forceinline__ void tmem_free(std::uint32_t address) {
  if constexpr (has_tensor_memory)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address),
                 "n"(columns)
                 : "memory");
  else
    __trap();
}

// Orders completed tensor-memory accesses before / after a block barrier.
__device__ __forceinline__ void tmem_fence_before_barrier() {
  if constexpr (has_tensor_memory)
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  else
    __trap();
}
__device__ __forceinline__ void tmem_fence_after_barrier() {
  if constexpr (has_tensor_memory)
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  else
    __trap();
}

// One whole warp: each thread's 16 words go to 16 columns of its own lane, and are there on return.
__device__ __forceinline__ void tmem_store(std::uint32_t address, const uint4 (&from)[4]) {
  if constexpr (has_tensor_memory)
    asm volatile(
        "tcgen05.st.sync.aligned.32x32b.x16.b32 [%0], "
        "{%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16};\n"
        "tcgen05.wait::st.sync.aligned;" ::"r"(address),
        "r"(from[0].x), "r"(from[0].y), "r"(from[0].z), "r"(from[0].w), "r"(from[1].x),
        "r"(from[1].y), "r"(from[1].z), "r"(from[1].w), "r"(from[2].x), "r"(from[2].y),
        "r"(from[2].z), "r"(from[2].w), "r"(from[3].x), "r"(from[3].y), "r"(from[3].z),
        "r"(from[3].w)
        : "memory");
  else
    __trap();
}

// One whole warp: the way back, complete on return.
__device__ __forceinline__ void tmem_load(std::uint32_t address, uint4 (&to)[4]) {
  if constexpr (has_tensor_memory)
    asm volatile(
        "tcgen05.ld.sync.aligned.32x32b.x16.b32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, [%16];\n"
        "tcgen05.wait::ld.sync.aligned;"
        : "=r"(to[0].x), "=r"(to[0].y), "=r"(to[0].z), "=r"(to[0].w), "=r"(to[1].x), "=r"(to[1].y),
          "=r"(to[1].z), "=r"(to[1].w), "=r"(to[2].x), "=r"(to[2].y), "=r"(to[2].z), "=r"(to[2].w),
          "=r"(to[3].x), "=r"(to[3].y), "=r"(to[3].z), "=r"(to[3].w)
        : "r"(address)
        : "memory");
  else
    __trap();
}

}  // namespace aisp::ch09::ptx
