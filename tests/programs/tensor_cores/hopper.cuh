// The instructions of sm_90a that the matrix product needs, one function each.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>

namespace hopper {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ inline bool elect() {
  std::uint32_t chosen;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
               : "=r"(chosen));
  return chosen != 0;
}

template <int registers>
__device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// Shared-memory barriers. Addresses are of shared memory.
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
// At the barrier of another block that lies where this one does.
__device__ inline void barrier_arrive_at(std::uint32_t barrier, std::uint32_t rank) {
  asm volatile(
      "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;"
      " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote]; }" ::"r"(barrier),
      "r"(rank)
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

__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}
// Threads of one warpgroup meet at named barrier `index`.
__device__ inline void group_sync(int index) {
  asm volatile("bar.sync %0, 128;" ::"r"(index) : "memory");
}

// The tensor memory accelerator: boxes of a two-dimensional tensor, column first.
__device__ inline void prefetch(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
__device__ inline void load_box(std::uint32_t to, const CUtensorMap& map, int column, int row,
                                std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(barrier)
      : "memory");
}
__device__ inline void load_box_to_all(std::uint32_t to, const CUtensorMap& map, int column,
                                       int row, std::uint32_t barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(barrier), "h"(blocks)
      : "memory");
}
__device__ inline void store_box(const CUtensorMap& map, int column, int row, std::uint32_t from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
      "r"(column), "r"(row), "r"(from)
      : "memory");
}
__device__ inline void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ inline void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
// What this thread wrote to shared memory, before the accelerator reads it.
__device__ inline void fence_for_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Matrix products of a warpgroup.
__device__ inline void products_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int pending>
__device__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// Rows of 128 bytes, swizzled, in atoms of 8 rows: bits 0-13 address / 16, 32-45 distance of atoms
// / 16, 62-63 the swizzle.
__device__ inline std::uint64_t describe(std::uint32_t address) {
  constexpr std::uint64_t atom_bytes = 8 * 128, swizzle_128 = 1;
  return (address & 0x3ffff) >> 4 | atom_bytes / 16 << 32 | swizzle_128 << 62;
}

#define ACCUMULATORS_8(d, i)                                                                  \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])

// d += A (64 x 16) * B (128 x 16) transposed, both in shared memory; or d = when `accumulate` is 0.
__device__ inline void multiply_64x128x16(float (&d)[64], std::uint64_t a, std::uint64_t b,
                                          int accumulate) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %66, 0;"
      " wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 0, 0; }"
      : ACCUMULATORS_8(d, 0), ACCUMULATORS_8(d, 8), ACCUMULATORS_8(d, 16), ACCUMULATORS_8(d, 24),
        ACCUMULATORS_8(d, 32), ACCUMULATORS_8(d, 40), ACCUMULATORS_8(d, 48), ACCUMULATORS_8(d, 56)
      : "l"(a), "l"(b), "r"(accumulate));
}
#undef ACCUMULATORS_8

// Four 8x8 matrices; lane i gives the address of row i % 8 of matrix i / 8.
__device__ inline void store_matrices(std::uint32_t to, std::uint32_t m0, std::uint32_t m1,
                                      std::uint32_t m2, std::uint32_t m3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
               "r"(m0), "r"(m1), "r"(m2), "r"(m3)
               : "memory");
}

__device__ inline std::uint32_t pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const std::uint32_t&>(pair);
}

}  // namespace hopper
