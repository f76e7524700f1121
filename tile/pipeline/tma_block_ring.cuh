// A ring of shared-memory slots that one thread of a block has filled by TMA and all
// threads read. As in the ring of cp.async the block's barrier empties a slot: whoever passes it
// has finished reading the slot before. That the bytes are there says an mbarrier per slot.
#pragma once

#include "tile/arch/mbarrier.cuh"
#include "tile/pipeline/ring_state.hpp"

namespace aisp::tile {

// At most stages - 1 slots are filled or being filled. All threads call all verbs but expect().
template <int stages>
class TmaBlockRing {
  static_assert(stages >= 2, "one slot is read while another is filled: at least 2 stages");

 public:
  struct Barriers {
    arch::MBarrier full[stages];
  };

  // By all threads; the barriers are ready when it returns.
  TILE_DEVICE explicit TmaBlockRing(Barriers& barriers) : barriers_(barriers) {
    if (threadIdx.x == 0) {
      for (auto& full : barriers_.full) arch::mbarrier_init(&full, 1);
      arch::fence_mbarrier_init();
    }
    __syncthreads();
  }

  // The slot to fill next: all threads have read it before the last wait().
  TILE_DEVICE int acquire() const { return writer_.slot; }
  // By the thread that asks for the copies: the barrier that counts their bytes.
  TILE_DEVICE arch::MBarrier* expect(int bytes) {
    arch::MBarrier* full = &barriers_.full[writer_.slot];
    arch::mbarrier_arrive_expect(full, bytes);
    return full;
  }
  TILE_DEVICE void commit() { ++writer_; }

  // The slot to read next, when its bytes have landed.
  TILE_DEVICE int wait() const {
    arch::mbarrier_wait(&barriers_.full[reader_.slot], reader_.phase);
    __syncthreads();
    return reader_.slot;
  }
  // This thread is done with the slot; the others learn it at the next wait().
  TILE_DEVICE void release() { ++reader_; }

  // No copy is under way any more: the slots may be used anew once the block has met.
  TILE_DEVICE void drain() {
    for (; reader_.slot != writer_.slot; ++reader_)
      arch::mbarrier_wait(&barriers_.full[reader_.slot], reader_.phase);
  }

 private:
  Barriers& barriers_;
  RingState<stages> writer_{};  // only its slot counts: the block's barrier says that it is empty
  RingState<stages> reader_ = RingState<stages>::reader();
};

}  // namespace aisp::tile
