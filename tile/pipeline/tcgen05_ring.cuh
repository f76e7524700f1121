// A ring of shared-memory buffers between one thread that asks for copies and one that multiplies
// on Blackwell's matrix unit. The four verbs of TmaRing; here release() is a promise: the slot
// becomes empty when the products that were issued before it have read it.
#pragma once

#include "tile/arch/cta_pair.cuh"
#include "tile/arch/tcgen05.cuh"
#include "tile/pipeline/tma_ring.cuh"

namespace aisp::tile {

// Where a block is in its cluster of m x n tiles. A tile is computed by one block, or by a pair
// whose blocks stand next to each other in rank; `half` is the block's place in it.
struct TileCluster {
  int half = 0;
  ClusterCoord tile{};
  TILE_FN bool leads() const { return half == 0; }
};
template <int cta_group, int cluster_m, int cluster_n>
TILE_DEVICE TileCluster tile_cluster() {
  if constexpr (cta_group * cluster_m * cluster_n == 1) return {};
  const int rank = arch::cluster_rank(), tile = rank / cta_group;
  return {rank % cta_group, {tile % cluster_m, tile / cluster_m}};
}

// Which blocks of the cluster hold the same: one bit per rank.
template <int cta_group, int cluster_m, int cluster_n>
struct ClusterMasks {
  static TILE_FN std::uint16_t bit(ClusterCoord tile, int half) {
    return static_cast<std::uint16_t>(1u << (half + cta_group * (tile.m + tile.n * cluster_m)));
  }
  // The same half of A, of all tiles in this row; of B, in this column.
  static TILE_FN std::uint16_t same_a(TileCluster at) {
    std::uint16_t mask = 0;
    for (int n = 0; n < cluster_n; ++n) mask |= bit({at.tile.m, n}, at.half);
    return mask;
  }
  static TILE_FN std::uint16_t same_b(TileCluster at) {
    std::uint16_t mask = 0;
    for (int m = 0; m < cluster_m; ++m) mask |= bit({m, at.tile.n}, at.half);
    return mask;
  }
  // The pair, or the block alone.
  static TILE_FN std::uint16_t of_tile(ClusterCoord tile) {
    std::uint16_t mask = 0;
    for (int half = 0; half < cta_group; ++half) mask |= bit(tile, half);
    return mask;
  }
  // All whose copies land in blocks of this tile.
  static TILE_FN std::uint16_t feeders(ClusterCoord at) {
    std::uint16_t mask = 0;
    for (int n = 0; n < cluster_n; ++n) mask |= of_tile({at.m, n});
    for (int m = 0; m < cluster_m; ++m) mask |= of_tile({m, at.n});
    return mask;
  }
};

// Every block loads its part; the leader of a pair multiplies for both, and its barriers count the
// bytes of both.
template <int stages, int cta_group = 1, int cluster_m = 1, int cluster_n = 1>
class Tcgen05Ring {
 public:
  using State = RingState<stages>;
  static constexpr int peers = cluster_m + cluster_n - 1;  // tiles whose products read a copy
  static constexpr bool alone = cta_group * cluster_m * cluster_n == 1;

  TILE_DEVICE Tcgen05Ring(TmaRingBarriers<stages>& barriers, TileCluster at)
      : barriers_(barriers),
        leads_(at.leads()),
        feeders_(ClusterMasks<cta_group, cluster_m, cluster_n>::feeders(at.tile)) {}

  // By one thread, with a fence_mbarrier_init() before the block (or the cluster) meets.
  TILE_DEVICE static void init(TmaRingBarriers<stages>& barriers) {
    for (int slot = 0; slot < stages; ++slot) {
      arch::mbarrier_init(&barriers.full[slot], 1);
      arch::mbarrier_init(&barriers.empty[slot], peers);
    }
  }

  TILE_DEVICE void acquire(State at) { arch::mbarrier_wait(&barriers_.empty[at.slot], at.phase); }
  // The barrier that the copies into the slot signal; `bytes` is what one block receives.
  TILE_DEVICE arch::MBarrier* commit(State at, int bytes) {
    if (leads_) arch::mbarrier_arrive_expect(&barriers_.full[at.slot], cta_group * bytes);
    return &barriers_.full[at.slot];
  }

  TILE_DEVICE void wait(State at) {
    arch::mbarrier_wait(&barriers_.full[at.slot], at.phase);
    arch::tcgen05_fence_after_sync();
  }
  TILE_DEVICE void release(State at) {
    if constexpr (alone)
      arch::tcgen05_commit<cta_group>(&barriers_.empty[at.slot]);
    else
      arch::tcgen05_commit_multicast<cta_group>(&barriers_.empty[at.slot], feeders_);
  }

 private:
  TmaRingBarriers<stages>& barriers_;
  bool leads_;
  std::uint16_t feeders_;
};

}  // namespace aisp::tile
