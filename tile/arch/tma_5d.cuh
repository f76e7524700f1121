// Copies of boxes of a tensor with five indices, as many as TMA knows; those that a tensor does not
// have are 0.
#pragma once

#include "tile/arch/tma.cuh"

namespace aisp::tile::arch {

// Where a box starts, the contiguous index first.
struct BoxCorner {
  int at[5];
};

TILE_DEVICE void tma_load(void* to, const CUtensorMap* map, MBarrier* barrier,
                          const BoxCorner& corner, CacheHint hint = CacheHint::normal) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%0], [%1, {%3, %4, %5, %6, %7}], [%2], %8;" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(corner.at[0]), "r"(corner.at[1]),
      "r"(corner.at[2]), "r"(corner.at[3]), "r"(corner.at[4]), "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}

// The same box into the same place of every block in `blocks`, one bit per rank.
TILE_DEVICE void tma_load_multicast(void* to, const CUtensorMap* map, MBarrier* barrier,
                                    const BoxCorner& corner, std::uint16_t blocks,
                                    CacheHint hint = CacheHint::normal) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster.L2::cache_hint [%0], [%1, {%3, %4, %5, %6, %7}], [%2], %8, %9;" ::"r"(
          shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(corner.at[0]), "r"(corner.at[1]),
      "r"(corner.at[2]), "r"(corner.at[3]), "r"(corner.at[4]), "h"(blocks),
      "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}

TILE_DEVICE void tma_store(const CUtensorMap* map, const void* from, const BoxCorner& corner) {
  asm volatile(
      "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group"
      " [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map),
      "r"(shared_address(from)), "r"(corner.at[0]), "r"(corner.at[1]), "r"(corner.at[2]),
      "r"(corner.at[3]), "r"(corner.at[4])
      : "memory");
}

}  // namespace aisp::tile::arch
