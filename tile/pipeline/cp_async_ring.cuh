// A ring of shared-memory slots that all threads of a block fill by cp.async and all read. The same
// four verbs as between roles: here one barrier of the block serves two of them, because whoever
// passes it has both received its own copies and finished reading the slot before.
#pragma once

#include "tile/arch/cp_async.cuh"
#include "tile/pipeline/ring_state.hpp"

namespace aisp::tile {

// At most stages - 1 slots are filled or being filled. Every acquire has its commit, with or
// without copies in between: the number of groups in flight is what wait() counts by.
template <int stages>
class CpAsyncRing {
  static_assert(stages >= 2, "one slot is read while another is filled: at least 2 stages");

 public:
  // The slot to fill next: all threads have read it before the last wait().
  TILE_DEVICE int acquire() const { return writer_.slot; }
  // This thread's copies since the last commit belong to the slot.
  TILE_DEVICE void commit() {
    arch::cp_async_commit();
    ++writer_;
  }

  // The slot to read next, when the copies of all threads into it have landed.
  TILE_DEVICE int wait() const {
    arch::cp_async_wait<stages - 2>();
    __syncthreads();
    return reader_.slot;
  }
  // This thread is done with the slot; the others learn it at the next wait().
  TILE_DEVICE void release() { ++reader_; }

  // None of this thread's copies is under way any more: the slots may be used anew once the block
  // has met.
  TILE_DEVICE void drain() const { arch::cp_async_wait<0>(); }

 private:
  RingState<stages> writer_ = RingState<stages>::writer();
  RingState<stages> reader_ = RingState<stages>::reader();
};

}  // namespace aisp::tile
