// A ring of shared-memory buffers between one thread that asks for copies and warpgroups that
// multiply. Four verbs: the writer acquires a slot and commits bytes to it, the reader waits for
// them and releases the slot.
#pragma once

#include "tile/arch/cluster.cuh"
#include "tile/arch/mbarrier.cuh"
#include "tile/pipeline/ring_state.hpp"

namespace tile {

// The barriers as they lie in shared memory.
template <int stages>
struct TmaRingBarriers {
  arch::MBarrier full[stages];   // bytes of the slot have landed
  arch::MBarrier empty[stages];  // its readers are done
};

// `readers` are the warpgroups of one block that release each slot; in a cluster a copy may land in
// all blocks, so a slot is empty when the readers of all of them are done.
template <int stages, int readers, int cluster_blocks>
class TmaRing {
 public:
  using State = RingState<stages>;
  TILE_DEVICE explicit TmaRing(TmaRingBarriers<stages>& barriers) : barriers_(barriers) {}

  // By one thread, before the block (or the cluster) meets.
  TILE_DEVICE void init() {
    for (int slot = 0; slot < stages; ++slot) {
      arch::mbarrier_init(&barriers_.full[slot], 1);
      arch::mbarrier_init(&barriers_.empty[slot], readers * cluster_blocks);
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
    const int thread = static_cast<int>(threadIdx.x) % 128;
    if constexpr (cluster_blocks == 1) {
      if (thread == 0) arch::mbarrier_arrive(&barriers_.empty[at.slot]);
    } else {
      if (thread < cluster_blocks) arch::mbarrier_arrive_remote(&barriers_.empty[at.slot], thread);
    }
  }

 private:
  TmaRingBarriers<stages>& barriers_;
};

}  // namespace tile
