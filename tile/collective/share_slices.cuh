// Several blocks share the sum over K of one output tile and end together: each leaves its sums in
// global memory, waits until all are there, and finishes one slice of the tile's columns. No block
// has to add up a whole tile; all of them must be resident at once.
#pragma once

#include "tile/collective/share_sums.cuh"

namespace tile {

// The workspace is that of ShareSums, one slot per share; `flags` are counters here that only grow:
// every launch adds the number of shares to each, so nothing is reset between launches.
template <GemmConfig config>
class ShareSlices {
 public:
  TILE_DEVICE ShareSlices(const ShareWorkspace& workspace, ClusterPlace place, int warpgroup)
      : sums_(workspace, place, warpgroup), slots_(workspace, place, warpgroup) {}

  // `share` of `shares` in slots from `slot` on; `end` takes a half, a patch and its four sums.
  // This code runs once per block and comes cold from memory: the slice is read back in a loop,
  // where keeping it in registers would unroll it for every patch that might be the first.
  template <class End>
  TILE_DEVICE void finish(const Sums<config>& sums, int slot, int share, int shares,
                          const End& end) const {
    sums_.write(sums, slot + share);
    meet(slot, shares);
    const int last = patches * (share + 1) / shares;
    for (int first = patches * share / shares; first < last; first += together) {
      Four totals[together]{};
#pragma unroll 2
      for (int other = 0; other < shares; ++other)  // in this order, whoever came first
#pragma unroll
        for (int i = 0; i < together; ++i)
          if (first + i < last) add(totals[i], slots_.at(slot + other)[(first + i) * 128]);
#pragma unroll
      for (int i = 0; i < together; ++i)
        if (first + i < last) end((first + i) / in_half, (first + i) % in_half, totals[i]);
    }
  }

 private:
  using Four = typename ShareSlots<config>::Four;
  static constexpr int in_half = config.tile_n / 8, patches = Sums<config>::halves * in_half;
  static constexpr int together = 4;  // patches whose loads are under way at once

  TILE_DEVICE static void add(Four& to, const Four& more) {
    to.x += more.x, to.y += more.y, to.z += more.z, to.w += more.w;
  }

  TILE_DEVICE void meet(int slot, int shares) const {
    sums_.meet();  // one thread's release then speaks for all of them
    if (threadIdx.x % 128 == 0) {
      std::uint32_t* counter = slots_.flag(slot);
      const auto count = static_cast<std::uint32_t>(shares);
      const std::uint32_t target = (arch::add_release(counter, 1) / count + 1) * count;
      while (static_cast<std::int32_t>(arch::load_acquire(counter) - target) < 0) continue;
    }
    sums_.meet();
  }

  ShareSums<config> sums_;
  ShareSlots<config> slots_;
};

}  // namespace tile
