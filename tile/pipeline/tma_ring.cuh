// A ring of shared-memory buffers between one thread that asks for copies and warpgroups that
// multiply. Four verbs: the writer acquires a slot and commits bytes to it, the reader waits for
// them and releases the slot.
#pragma once

#include "tile/arch/cluster.cuh"
#include "tile/arch/mbarrier.cuh"
#include "tile/pipeline/ring_state.hpp"

namespace aisp::tile {

// The barriers as they lie in shared memory.
template <int stages>
struct TmaRingBarriers {
  arch::MBarrier full[stages];   // bytes of the slot have landed
  arch::MBarrier empty[stages];  // its readers are done
};

// Where a block is in a cluster of m x n; cluster ranks run along m first.
struct ClusterCoord {
  int m = 0, n = 0;
};
template <int cluster_m, int cluster_n>
TILE_DEVICE ClusterCoord cluster_coord() {
  if constexpr (cluster_m * cluster_n == 1) return {};
  const int rank = arch::cluster_rank();
  return {rank % cluster_m, rank / cluster_m};
}

// `readers` are the warpgroups of one block that release each slot. In a cluster a block's copies
// land in all blocks of its row and column, so a slot is empty when the readers of all of them are
// done.
template <int stages, int readers, int cluster_m = 1, int cluster_n = 1>
class TmaRing {
  static_assert(stages >= 1 && readers >= 1 && cluster_m >= 1 && cluster_n >= 1,
                "a ring has at least one stage, one reader and one block");
  static_assert(cluster_m + cluster_n - 1 <= 128,
                "a reading warpgroup has 128 threads to tell its peers by");

 public:
  using State = RingState<stages>;
  static constexpr int peers = cluster_m + cluster_n - 1;

  TILE_DEVICE TmaRing(TmaRingBarriers<stages>& barriers, ClusterCoord coord)
      : barriers_(barriers), peer_(peer(coord, static_cast<int>(threadIdx.x) % 128)) {}

  // By one thread, before the block (or the cluster) meets.
  TILE_DEVICE static void init(TmaRingBarriers<stages>& barriers) {
    for (int slot = 0; slot < stages; ++slot) {
      arch::mbarrier_init(&barriers.full[slot], 1);
      arch::mbarrier_init(&barriers.empty[slot], readers * peers);
    }
    arch::fence_mbarrier_init();
  }

  TILE_DEVICE void acquire(State at) { arch::mbarrier_wait(&barriers_.empty[at.slot], at.phase); }
  // The barrier that the copies into the slot signal; `bytes` is what this block receives.
  TILE_DEVICE arch::MBarrier* commit(State at, int bytes) {
    arch::mbarrier_arrive_expect(&barriers_.full[at.slot], bytes);
    return &barriers_.full[at.slot];
  }

  TILE_DEVICE void wait(State at) { arch::mbarrier_wait(&barriers_.full[at.slot], at.phase); }
  // By all threads of a reading warpgroup; as many of them speak as there are blocks to tell.
  TILE_DEVICE void release(State at) {
    if constexpr (peers == 1) {
      if (threadIdx.x % 128 == 0) arch::mbarrier_arrive(&barriers_.empty[at.slot]);
    } else {
      if (peer_ >= 0) arch::mbarrier_arrive_remote(&barriers_.empty[at.slot], peer_);
    }
  }

 private:
  // The rank that the thread tells: first those of the same n, then the others of the same m.
  TILE_DEVICE static int peer(ClusterCoord coord, int thread) {
    if (thread < cluster_m) return thread + coord.n * cluster_m;
    const int other = thread - cluster_m;
    if (other >= cluster_n - 1) return -1;
    return coord.m + (other < coord.n ? other : other + 1) * cluster_m;
  }

  TmaRingBarriers<stages>& barriers_;
  int peer_;
};

}  // namespace aisp::tile
