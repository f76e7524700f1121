// A ring of answers of the launch control between the one thread of a cluster that asks for further
// tiles and all roles of all its blocks, which read each answer. The four verbs: the asker acquires
// a slot and commits a question to it, a role waits for the answer and releases the slot.
#pragma once

#include "tile/arch/cluster.cuh"
#include "tile/arch/cta_pair.cuh"
#include "tile/arch/launch_control.cuh"
#include "tile/pipeline/ring_state.hpp"

namespace aisp::tile {

// `readers` are the arrivals of the whole cluster for one answer.
template <int stages, int blocks, int readers>
class LaunchControlRing {
 public:
  using State = RingState<stages>;
  struct Shared {
    arch::LaunchAnswer answer[stages];
    arch::MBarrier full[stages];   // of each block: the answer is there
    arch::MBarrier empty[stages];  // of block 0: everybody has read it
  };

  TILE_DEVICE explicit LaunchControlRing(Shared& shared) : shared_(shared) {}

  // As those of the other rings.
  TILE_DEVICE static void init(Shared& shared) {
    for (int slot = 0; slot < stages; ++slot) {
      arch::mbarrier_init(&shared.full[slot], 1);
      arch::mbarrier_init(&shared.empty[slot], readers);
    }
  }

  // By one thread of each block; the asker is that of block 0, the others get ready for its answer.
  TILE_DEVICE void acquire(State at) {
    if (asks()) wait_for(&shared_.empty[at.slot], at.phase);
  }
  TILE_DEVICE void commit(State at) {
    arch::mbarrier_arrive_expect(&shared_.full[at.slot], sizeof(arch::LaunchAnswer));
    if (!asks()) return;
    if constexpr (blocks == 1)
      arch::launch_control_ask(&shared_.answer[at.slot], &shared_.full[at.slot]);
    else
      arch::launch_control_ask_multicast(&shared_.answer[at.slot], &shared_.full[at.slot]);
  }

  // True: the cluster whose first block has this x index is ours now.
  TILE_DEVICE bool wait(State at, int& first_block) {
    wait_for(&shared_.full[at.slot], at.phase);
    const bool taken = arch::launch_control_taken(&shared_.answer[at.slot], first_block);
    arch::fence_async_shared();  // read before it is written anew
    return taken;
  }
  // By one thread of those that have read together.
  TILE_DEVICE void release(State at) {
    if constexpr (blocks == 1)
      arch::mbarrier_arrive(&shared_.empty[at.slot]);
    else
      arch::mbarrier_arrive_release_remote(&shared_.empty[at.slot], 0);
  }

 private:
  TILE_DEVICE static bool asks() { return blocks == 1 || arch::cluster_rank() == 0; }
  TILE_DEVICE static void wait_for(arch::MBarrier* barrier, unsigned phase) {
    if constexpr (blocks == 1)
      arch::mbarrier_wait(barrier, phase);
    else
      arch::mbarrier_wait_cluster(barrier, phase);
  }

  Shared& shared_;
};

}  // namespace aisp::tile
