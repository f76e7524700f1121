// Instructions of sm_80 to sm_90a that only the asynchronous programs need: copies by others than
// the thread, proxy fences, warpgroup products. As in ptx.cuh, nothing here may be moved.
#pragma once

#include <cuda.h>

#include "tests/hazards/ptx.cuh"

namespace ptx {

// ---- Between proxies: what ordinary accesses did, seen by copies and products, and back.
__device__ inline void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void fence_async_global() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}
__device__ inline void mbarrier_arrive_count(std::uint64_t* bar, int count) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(count)
               : "memory");
}

// ---- cp.async: 4 bytes of this thread's.
__device__ inline void copy_async(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from)
               : "memory");
}
__device__ inline void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int newest>
__device__ void copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(newest) : "memory");
}
// Arrives once all copies of this thread have ended. Without `noinc` the pending count is raised by
// one first: the arrival is not one of those that init counted.
__device__ inline void copy_arrive(std::uint64_t* bar) {
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(shared_address(bar))
               : "memory");
}
__device__ inline void copy_arrive_noinc(std::uint64_t* bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(bar))
               : "memory");
}

// ---- Bulk copies. Bytes and addresses are multiples of 16.
__device__ inline void bulk_load(void* to, const void* from, int bytes, std::uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(bar))
      : "memory");
}
// To the same place of all blocks in `blocks`, each of whose barriers counts its own copy.
__device__ inline void bulk_load_to(void* to, const void* from, int bytes, std::uint64_t* bar,
                                    int blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(bar)), "h"(static_cast<std::uint16_t>(blocks))
      : "memory");
}
__device__ inline void bulk_store(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
__device__ inline void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int newest>
__device__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(newest) : "memory");
}
template <int newest>
__device__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(newest) : "memory");
}
// 4 bytes into another block; both addresses are of shared::cluster and of the same block.
__device__ inline void store_async(std::uint32_t to, std::uint32_t value, std::uint32_t bar) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to),
      "r"(value), "r"(bar)
      : "memory");
}

// ---- Tensor maps of one dimension.
__device__ inline void tensor_load(void* to, const CUtensorMap* map, int at, std::uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2}], [%3];" ::"r"(shared_address(to)),
      "l"(map), "r"(at), "r"(shared_address(bar))
      : "memory");
}
__device__ inline void tensor_store(const CUtensorMap* map, int at, const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(map),
      "r"(at), "r"(shared_address(from))
      : "memory");
}
__device__ inline void tensormap_point_shared(void* map, const void* memory) {
  asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(
                   shared_address(map)),
               "l"(memory)
               : "memory");
}
__device__ inline void tensormap_point_global(CUtensorMap* map, const void* memory) {
  asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(map),
               "l"(memory)
               : "memory");
}
__device__ inline void tensormap_copy_release(CUtensorMap* to, const void* from) {  // whole warp
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
      " [%0], [%1], 128;" ::"l"(to),
      "r"(shared_address(from))
      : "memory");
}
__device__ inline void tensormap_release() {
  asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
}
__device__ inline void tensormap_acquire(const CUtensorMap* map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

// ---- Registers per thread of a warpgroup.
template <int registers>
__device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers) : "memory");
}
template <int registers>
__device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers) : "memory");
}

}  // namespace ptx
