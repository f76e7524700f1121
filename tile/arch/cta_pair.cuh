// Two blocks of a cluster whose ranks differ in bit 0 and that multiply together; the even one
// leads. Barriers of the leader, as its peer names them, and the copies that signal them.
#pragma once

#include "tile/arch/tma_im2col.cuh"

namespace aisp::tile::arch {

// The block's rank stands in the top byte of a shared address: bit 24 is that of the pair.
TILE_DEVICE std::uint32_t leaders_address(const void* pointer) {
  return shared_address(pointer) & 0xFEFFFFFFu;
}

// What this thread has done before is visible to whoever waits by mbarrier_wait_cluster(). The
// barrier is that in the same place of the pair's leader.
TILE_DEVICE void mbarrier_arrive_leader(MBarrier* barrier) {
  asm volatile(
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(leaders_address(barrier))
      : "memory");
}
// ... of any block of the cluster.
TILE_DEVICE void mbarrier_arrive_release_remote(MBarrier* barrier, int block_rank) {
  asm volatile(
      "{\n  .reg .b32 remote;\n  mapa.shared::cluster.u32 remote, %0, %1;\n"
      "  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}" ::"r"(
          shared_address(barrier)),
      "r"(block_rank)
      : "memory");
}

// As tma_load(), but the leader's barrier counts the bytes.
TILE_DEVICE void tma_load_pair(void* to, const CUtensorMap* map, MBarrier* barrier, int x, int y,
                               int z, CacheHint hint = CacheHint::normal) {
  asm volatile(
      "cp.async.bulk.tensor.3d.cta_group::2.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(
          shared_address(to)),
      "l"(map), "r"(leaders_address(barrier)), "r"(x), "r"(y), "r"(z),
      "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}
// As tma_load_multicast(), but the bytes of each block are counted by the leader of its pair.
TILE_DEVICE void tma_load_pair_multicast(void* to, const CUtensorMap* map, MBarrier* barrier, int x,
                                         int y, int z, std::uint16_t blocks,
                                         CacheHint hint = CacheHint::normal) {
  asm volatile(
      "cp.async.bulk.tensor.3d.cta_group::2.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint"
      " [%0], [%1, {%3, %4, %5}], [%2], %6, %7;" ::"r"(shared_address(to)),
      "l"(map), "r"(leaders_address(barrier)), "r"(x), "r"(y), "r"(z), "h"(blocks),
      "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}

// As tma_load_im2col(), but the leader's barrier counts the bytes.
TILE_DEVICE void tma_load_im2col_pair(void* to, const CUtensorMap* map, MBarrier* barrier,
                                      ImageCoord first, TapOffset offset,
                                      CacheHint hint = CacheHint::normal) {
  asm volatile(
      "cp.async.bulk.tensor.4d.cta_group::2.shared::cluster.global.im2col"
      ".mbarrier::complete_tx::bytes.L2::cache_hint"
      " [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8}, %9;" ::"r"(shared_address(to)),
      "l"(map), "r"(leaders_address(barrier)), "r"(first.channel), "r"(first.column),
      "r"(first.row), "r"(first.image), "h"(offset.columns), "h"(offset.rows),
      "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}

}  // namespace aisp::tile::arch
