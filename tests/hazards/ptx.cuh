// The few PTX instructions that the programs of tests/hazards need, one function for each. All are
// `asm volatile` with a memory clobber: the compiler keeps them, and the accesses around them, in
// the order in which they are written.
#pragma once

#include <cstdint>

namespace ptx {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// ---- Barriers of the block. The plain ones are `.aligned`: whole warps only.
__device__ inline void bar_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void bar_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void barrier_sync_unaligned(int id, int threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline bool elect_one() {
  std::uint32_t chosen;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
               : "=r"(chosen)::"memory");
  return chosen != 0;
}

// ---- Loads, stores and read-modify-write of 32 bits in global memory, by order and scope.
#define PTX_LOAD(name, text)                                                             \
  __device__ inline std::uint32_t name(const std::uint32_t* at) {                        \
    std::uint32_t value;                                                                 \
    asm volatile("ld." text ".global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory"); \
    return value;                                                                        \
  }
#define PTX_STORE(name, text)                                                          \
  __device__ inline void name(std::uint32_t* at, std::uint32_t value) {                \
    asm volatile("st." text ".global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory"); \
  }
#define PTX_ADD(name, text)                                                      \
  __device__ inline std::uint32_t name(std::uint32_t* at, std::uint32_t value) { \
    std::uint32_t old;                                                           \
    asm volatile("atom." text ".global.add.u32 %0, [%1], %2;"                    \
                 : "=r"(old)                                                     \
                 : "l"(at), "r"(value)                                           \
                 : "memory");                                                    \
    return old;                                                                  \
  }
PTX_LOAD(load_weak, "weak")
PTX_LOAD(load_relaxed_cta, "relaxed.cta")
PTX_LOAD(load_relaxed, "relaxed.gpu")
PTX_LOAD(load_acquire_cta, "acquire.cta")
PTX_LOAD(load_acquire, "acquire.gpu")
PTX_STORE(store_weak, "weak")
PTX_STORE(store_relaxed_cta, "relaxed.cta")
PTX_STORE(store_relaxed, "relaxed.gpu")
PTX_STORE(store_release_cta, "release.cta")
PTX_STORE(store_release, "release.gpu")
PTX_ADD(add_relaxed_cta, "relaxed.cta")
PTX_ADD(add_relaxed, "relaxed.gpu")
PTX_ADD(add_acq_rel_cta, "acq_rel.cta")
PTX_ADD(add_acq_rel, "acq_rel.gpu")
#undef PTX_LOAD
#undef PTX_STORE
#undef PTX_ADD

__device__ inline void fence_cta() { asm volatile("fence.acq_rel.cta;" ::: "memory"); }
__device__ inline void fence_gpu() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
__device__ inline void fence_cluster() { asm volatile("fence.acq_rel.cluster;" ::: "memory"); }

// ---- mbarriers of the own block; `bar` points to shared memory.
__device__ inline void mbarrier_init(std::uint64_t* bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count)
               : "memory");
}
__device__ inline void mbarrier_inval(std::uint64_t* bar) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
}
__device__ inline void mbarrier_arrive(std::uint64_t* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory");
}
__device__ inline void mbarrier_arrive_expect(std::uint64_t* bar, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)),
               "r"(bytes)
               : "memory");
}
__device__ inline void mbarrier_expect(std::uint64_t* bar, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)),
      "r"(bytes)
      : "memory");
}
// Has the phase of this parity ended? Waits a while; acquires at the scope of the block.
__device__ inline bool mbarrier_try(std::uint64_t* bar, std::uint32_t parity) {
  std::uint32_t done;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; "
      "}"
      : "=r"(done)
      : "r"(shared_address(bar)), "r"(parity)
      : "memory");
  return done != 0;
}
__device__ inline void mbarrier_wait(std::uint64_t* bar, std::uint32_t parity) {
  while (!mbarrier_try(bar, parity)) {
  }
}
__device__ inline void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// ---- Clusters.
__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void cluster_arrive() {  // release
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ inline void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ inline void cluster_wait() {  // acquire
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}
// The shared::cluster address of the same variable in block `rank` of the cluster.
__device__ inline std::uint32_t map_to(const void* pointer, std::uint32_t rank) {
  std::uint32_t mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(mapped)
               : "r"(shared_address(pointer)), "r"(rank));
  return mapped;
}
__device__ inline std::uint32_t load_cluster(std::uint32_t address) {
  std::uint32_t value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}
__device__ inline void store_cluster(std::uint32_t address, std::uint32_t value) {
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}
// Arrives, with release at cluster scope, on the mbarrier at a shared::cluster address.
__device__ inline void mbarrier_arrive_cluster(std::uint32_t address) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(address)
               : "memory");
}
// As mbarrier_wait, acquiring at cluster scope: for what other blocks released.
__device__ inline void mbarrier_wait_cluster(std::uint64_t* bar, std::uint32_t parity) {
  std::uint32_t done = 0;
  while (done == 0)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;"
        "  selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(shared_address(bar)), "r"(parity)
        : "memory");
}

}  // namespace ptx
