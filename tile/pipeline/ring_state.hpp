// Where a role stands in a ring of buffers: the slot, and the parity of the lap it is in. A value:
// producer and consumer each have their own, and a copy is a bookmark.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile {

template <int stages>
struct RingState {
  static_assert(stages >= 1, "a ring needs at least one slot");
  int slot = 0;
  unsigned phase = 0;

  // A reader waits for the first lap's data; a writer finds every slot empty, which is the parity
  // of a lap that was never run.
  static TILE_FN RingState reader() { return {0, 0}; }
  static TILE_FN RingState writer() { return {0, 1}; }

  TILE_FN RingState& operator++() {
    if (++slot == stages) {
      slot = 0;
      phase ^= 1;
    }
    return *this;
  }
  // Over slots that another role handles.
  TILE_FN RingState& operator+=(int count) {
    const int ahead = slot + count;
    slot = ahead % stages;
    phase ^= static_cast<unsigned>(ahead / stages) & 1u;
    return *this;
  }
  constexpr bool operator==(const RingState&) const = default;
};

}  // namespace aisp::tile
