// A ring of accumulators in tensor memory between the thread that issues products and the warps
// that store them: while one tile goes out, the next is computed. The four verbs again: the issuer
// acquires a slot and commits its products to it, the epilogue waits for them and releases the
// slot. Of a pair both blocks hold a slot, and its leader issues for both.
#pragma once

#include "tile/arch/cta_pair.cuh"
#include "tile/arch/tcgen05.cuh"
#include "tile/arch/warp.cuh"
#include "tile/pipeline/ring_state.hpp"

namespace aisp::tile {

template <int stages, int columns, int cta_group = 1>
class TmemRing {
 public:
  using State = RingState<stages>;
  static constexpr int reading_warps = 4;  // of each block: each reaches a quarter of the lanes
  struct Barriers {
    arch::MBarrier full[stages];   // the products of the slot are done
    arch::MBarrier empty[stages];  // its readers are
  };

  // `pair` is the mask of the blocks that hold the accumulators.
  TILE_DEVICE TmemRing(Barriers& barriers, arch::TmemAddress first, std::uint16_t pair)
      : barriers_(barriers), first_(first), pair_(pair) {}

  // By one thread, with a fence_mbarrier_init() before the block (or the cluster) meets.
  TILE_DEVICE static void init(Barriers& barriers) {
    for (int slot = 0; slot < stages; ++slot) {
      arch::mbarrier_init(&barriers.full[slot], 1);
      arch::mbarrier_init(&barriers.empty[slot], cta_group * reading_warps);
    }
  }

  TILE_DEVICE arch::TmemAddress columns_of(State at) const {
    return arch::tmem_at(first_, 0, at.slot * columns);
  }

  TILE_DEVICE void acquire(State at) {
    wait_for(&barriers_.empty[at.slot], at.phase);
    arch::tcgen05_fence_after_sync();
  }
  TILE_DEVICE void commit(State at) {
    if constexpr (cta_group == 1)
      arch::tcgen05_commit<1>(&barriers_.full[at.slot]);
    else
      arch::tcgen05_commit_multicast<2>(&barriers_.full[at.slot], pair_);
  }

  TILE_DEVICE void wait(State at) {
    wait_for(&barriers_.full[at.slot], at.phase);
    arch::tcgen05_fence_after_sync();
  }
  // By all lanes of a warp, whose loads are done.
  TILE_DEVICE void release(State at) {
    arch::tcgen05_fence_before_sync();
    __syncwarp();
    if (!arch::elect_one()) return;
    if constexpr (cta_group == 1)
      arch::mbarrier_arrive(&barriers_.empty[at.slot]);
    else
      arch::mbarrier_arrive_leader(&barriers_.empty[at.slot]);
  }

 private:
  TILE_DEVICE static void wait_for(arch::MBarrier* barrier, unsigned phase) {
    if constexpr (cta_group == 1)
      arch::mbarrier_wait(barrier, phase);
    else
      arch::mbarrier_wait_cluster(barrier, phase);
  }

  Barriers& barriers_;
  arch::TmemAddress first_;
  std::uint16_t pair_;
};

}  // namespace aisp::tile
