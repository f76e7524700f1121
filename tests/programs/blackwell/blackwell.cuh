// The instructions of sm_100a that these programs need, one function each.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace blackwell {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}
__device__ inline bool elect() {
  std::uint32_t chosen;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
               : "=r"(chosen));
  return chosen != 0;
}
__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

// mbarriers; addresses are of shared memory.
__device__ inline void barrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}
__device__ inline void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void barrier_expect(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ inline void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// Bit 24 of a shared::cluster address is the last bit of the block's rank: the leader of the pair.
__device__ inline std::uint32_t of_leader(std::uint32_t barrier) { return barrier & 0xfeffffffu; }
// For what tcgen05.fence orders.
__device__ inline void barrier_arrive_relaxed(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier)
               : "memory");
}
__device__ inline void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{ .reg .pred done; again:"
      " mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;"
      " @!done bra again; }" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
__device__ inline void barrier_wait_relaxed(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{ .reg .pred done; again:"
      " mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 done, [%0], %1;"
      " @!done bra again; }" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
__device__ inline void fence_for_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

template <int group>
__device__ void load_box(std::uint32_t to, const CUtensorMap& map, int column, int row,
                         std::uint32_t barrier) {
  if constexpr (group == 1)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
        "l"(&map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
  else
    asm volatile(
        "cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
        "l"(&map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
}

// Tensor memory.
template <int group>
__device__ void allocate(std::uint32_t to, int columns) {
  if constexpr (group == 1)
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(to),
                 "r"(columns)
                 : "memory");
  else
    asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(to),
                 "r"(columns)
                 : "memory");
}
template <int group>
__device__ void give_back(std::uint32_t from, int columns) {
  if constexpr (group == 1) {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(from), "r"(columns));
  } else {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(from), "r"(columns));
  }
}
__device__ inline void before_sync() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ inline void after_sync() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}
__device__ inline void wait_loads() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }
__device__ inline void wait_stores() {
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}
// Eight columns of the lanes of this warp.
__device__ inline void load_columns(std::uint32_t (&d)[8], std::uint32_t from) {
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]),
                 "=r"(d[7])
               : "r"(from));
}
__device__ inline void store_columns(std::uint32_t to, const std::uint32_t (&d)[8]) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"r"(to),
      "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]), "r"(d[4]), "r"(d[5]), "r"(d[6]), "r"(d[7])
      : "memory");
}

template <int group>
__device__ void commit(std::uint32_t barrier) {
  if constexpr (group == 1) {
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
        : "memory");
  } else {
    const std::uint16_t both = 3;
    asm volatile(
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"
        " [%0], %1;" ::"r"(barrier),
        "h"(both)
        : "memory");
  }
}

// Rows of 128 bytes, swizzled, in atoms of eight: bits 0-13 address / 16, 32-45 distance of atoms
// / 16, 46-48 one, 61-63 the swizzle.
__device__ inline std::uint64_t describe(std::uint32_t address) {
  constexpr std::uint64_t atom_bytes = 8 * 128, swizzle_128 = 2;
  return (address & 0x3ffff) >> 4 | atom_bytes / 16 << 32 | std::uint64_t{1} << 46 |
         swizzle_128 << 61;
}
// Core matrices of 8 x 16 bytes next to each other: the rows of a block of scales.
__device__ inline std::uint64_t describe_rows(std::uint32_t address) {
  return (address & 0x3ffff) >> 4 | std::uint64_t{128 / 16} << 32 | std::uint64_t{1} << 46;
}

// D in f32, A and B in bf16, both K-major.
__host__ __device__ constexpr std::uint32_t bf16_product(int m, int n) {
  return 1u << 4 | 1u << 7 | 1u << 10 | static_cast<std::uint32_t>(n / 8) << 17 |
         static_cast<std::uint32_t>(m / 16) << 24;
}
template <int group>
__device__ void multiply(std::uint32_t d, std::uint64_t a, std::uint64_t b, std::uint32_t what,
                         bool accumulate) {
  if constexpr (group == 1)
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %4, 0;"
        " tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
        "l"(a), "l"(b), "r"(what), "r"(static_cast<int>(accumulate))
        : "memory");
  else
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %4, 0;"
        " tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
        "l"(a), "l"(b), "r"(what), "r"(static_cast<int>(accumulate))
        : "memory");
}
// A in tensor memory.
__device__ inline void multiply_from(std::uint32_t d, std::uint32_t a, std::uint64_t b,
                                     std::uint32_t what, bool accumulate) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %4, 0;"
      " tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p; }" ::"r"(d),
      "r"(a), "l"(b), "r"(what), "r"(static_cast<int>(accumulate))
      : "memory");
}

}  // namespace blackwell
