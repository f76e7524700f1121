// Copies of whole boxes of a tensor between global and shared memory, done by TMA: one
// thread asks, the hardware computes addresses, swizzles and clips at the tensor's edges.
#pragma once

#include <cuda.h>

#include "tile/arch/mbarrier.cuh"

namespace aisp::tile::arch {

// Hints for L2: the fixed policies that createpolicy makes for a whole access.
enum class CacheHint : std::uint64_t {
  normal = 0x1000000000000000,
  evict_first = 0x12F0000000000000,
  evict_last = 0x14F0000000000000,
};

TILE_DEVICE void prefetch_tensor_map(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// A map that ordinary stores or copies wrote to global memory becomes readable by TMA.
TILE_DEVICE void acquire_tensor_map(const CUtensorMap* map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

// What ordinary stores wrote to shared memory becomes visible to TMA and to wgmma.
TILE_DEVICE void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Box at (x, y[, z[, w]]) -> shared memory; `barrier` counts the bytes as they arrive.
TILE_DEVICE void tma_load(void* to, const CUtensorMap* map, MBarrier* barrier, int x, int y,
                          CacheHint hint = CacheHint::normal) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}
TILE_DEVICE void tma_load(void* to, const CUtensorMap* map, MBarrier* barrier, int x, int y, int z,
                          CacheHint hint = CacheHint::normal) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z),
      "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}

TILE_DEVICE void tma_load(void* to, const CUtensorMap* map, MBarrier* barrier, int x, int y, int z,
                          int w, CacheHint hint = CacheHint::normal) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%0], [%1, {%3, %4, %5, %6}], [%2], %7;" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z), "r"(w),
      "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}

// The same box into the same place of every block in `blocks` (one bit per rank), each of whose
// barriers counts its own copy.
TILE_DEVICE void tma_load_multicast(void* to, const CUtensorMap* map, MBarrier* barrier, int x,
                                    int y, int z, std::uint16_t blocks,
                                    CacheHint hint = CacheHint::normal) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster.L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6, %7;" ::"r"(
          shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z), "h"(blocks),
      "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}

// Shared memory -> box at (x, y[, z[, w]]). Stores are counted in groups by the thread that issues
// them.
TILE_DEVICE void tma_store(const CUtensorMap* map, const void* from, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
      "r"(shared_address(from)), "r"(x), "r"(y)
      : "memory");
}
TILE_DEVICE void tma_store(const CUtensorMap* map, const void* from, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
          map),
      "r"(shared_address(from)), "r"(x), "r"(y), "r"(z)
      : "memory");
}
TILE_DEVICE void tma_store(const CUtensorMap* map, const void* from, int x, int y, int z, int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group"
      " [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
      "r"(shared_address(from)), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}
// Adds instead of overwriting: what several blocks have accumulated meets in memory.
TILE_DEVICE void tma_reduce_add(const CUtensorMap* map, const void* from, int x, int y, int z) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group"
      " [%0, {%2, %3, %4}], [%1];" ::"l"(map),
      "r"(shared_address(from)), "r"(x), "r"(y), "r"(z)
      : "memory");
}
TILE_DEVICE void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// At most `pending` groups may still read their source: the others' buffers may be written again.
template <int pending>
TILE_DEVICE void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}
// ... may still be on their way to global memory.
template <int pending>
TILE_DEVICE void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace aisp::tile::arch
