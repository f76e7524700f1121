// Blocks that run together and see each other's shared memory.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

TILE_DEVICE int cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}

// A barrier in two steps: work that does not need the others goes between them.
TILE_DEVICE void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
TILE_DEVICE void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
TILE_DEVICE void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
TILE_DEVICE void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

// All blocks are here; nothing that they wrote is made visible, save what a fence did before: the
// release of cluster_sync() waits for every write of the block.
TILE_DEVICE void cluster_sync_relaxed() {
  cluster_arrive_relaxed();
  cluster_wait();
}

// The shared address of the same variable in another block of the cluster.
TILE_DEVICE std::uint32_t remote_shared(const void* pointer, int block_rank) {
  std::uint32_t remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(remote)
               : "r"(shared_address(pointer)), "r"(block_rank));
  return remote;
}

}  // namespace aisp::tile::arch
