// PTX wrapped once, by name. Each function states its contract in one comment; one that an
// architecture lacks compiles to a trap there, so every file compiles for every architecture and a
// kernel that got past the lab's `needs` check stops loudly instead of computing something else.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace aisp::ch09::ptx {

// __CUDA_ARCH__ is not defined while host code is compiled; no PTX is assembled then.
#ifdef __CUDA_ARCH__
inline constexpr int device_arch = __CUDA_ARCH__;
#else
inline constexpr int device_arch = 0;
#endif
inline constexpr bool has_bulk_copy = device_arch >= 900;
// tcgen05 belongs to sm_100a alone: the number of the architecture does not tell, the feature does.
#ifdef __CUDA_ARCH_FEAT_SM100_ALL
inline constexpr bool has_tensor_memory = true;
#else
inline constexpr bool has_tensor_memory = false;
#endif

// Shared-memory address as the 32-bit number PTX wants.
__device__ __forceinline__ std::uint32_t smem_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// ---- every architecture from sm_80 on -----------------------------------------------------------

// 16 bytes, read once: not kept in L1, and L2 fetches the aligned 256 bytes around them. `from` is
// 16-byte aligned global memory that nothing writes while the kernel runs.
__device__ __forceinline__ uint4 load_no_allocate(const uint4* from) {
  uint4 value;
  asm("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
      : "l"(from));
  return value;
}

// 16 bytes, not read again soon: not kept in L1. `to` is 16-byte aligned global memory.
__device__ __forceinline__ void store_no_allocate(uint4* to, uint4 value) {
  asm volatile("st.global.L1::no_allocate.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(value.x),
               "r"(value.y), "r"(value.z), "r"(value.w)
               : "memory");
}

// ---- sm_90 and later: bulk copies and the barriers they complete on -----------------------------

// One thread, before any use; `arrivals` arrivals complete a phase. Follow with
// fence_async_proxy() and a block barrier.
__device__ __forceinline__ void barrier_init(std::uint64_t* barrier, unsigned arrivals) {
  if constexpr (has_bulk_copy)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_address(barrier)),
                 "r"(arrivals)
                 : "memory");
  else
    __trap();
}

// One arrival that also announces `bytes` to come; the phase completes when both have happened.
__device__ __forceinline__ void barrier_expect(std::uint64_t* barrier, unsigned bytes) {
  if constexpr (has_bulk_copy)
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_address(barrier)),
        "r"(bytes)
        : "memory");
  else
    __trap();
}

// Returns once the phase of that parity is complete; what its copies wrote is then visible.
__device__ __forceinline__ void barrier_wait(std::uint64_t* barrier, unsigned parity) {
  if constexpr (has_bulk_copy)
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}\n" ::"r"(smem_address(barrier)),
        "r"(parity)
        : "memory");
  else
    __trap();
}

// Global to shared memory by TMA, completing on `barrier`. Both addresses and `bytes` are multiples
// of 16; one thread issues it.
__device__ __forceinline__ void bulk_load(void* to_smem, const void* from, unsigned bytes,
                                          std::uint64_t* barrier) {
  if constexpr (has_bulk_copy)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(smem_address(to_smem)),
        "l"(from), "r"(bytes), "r"(smem_address(barrier))
        : "memory");
  else
    __trap();
}

// Shared to global memory, as a bulk group of its own. The same alignment; the same thread later
// waits for the group. Writers of the bytes have called fence_async_proxy() before a barrier.
__device__ __forceinline__ void bulk_store(void* to, const void* from_smem, unsigned bytes) {
  if constexpr (has_bulk_copy)
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
        "cp.async.bulk.commit_group;" ::"l"(to),
        "r"(smem_address(from_smem)), "r"(bytes)
        : "memory");
  else
    __trap();
}

// Returns once all but the newest `pending` groups of this thread have read their shared memory:
// it may be filled again, though global memory may not show the data yet.
template <int pending>
__device__ __forceinline__ void bulk_wait_read() {
  if constexpr (has_bulk_copy)
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
  else
    __trap();
}

// Returns once every group of this thread is complete, writes included.
__device__ __forceinline__ void bulk_wait_all() {
  if constexpr (has_bulk_copy)
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  else
    __trap();
}

// Makes this thread's ordinary writes to shared memory visible to TMA.
__device__ __forceinline__ void fence_async_proxy() {
  if constexpr (has_bulk_copy)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  else
    __trap();
}

}  // namespace aisp::ch09::ptx
