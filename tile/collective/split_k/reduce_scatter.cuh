// Several blocks split the sum over K of one output tile into slices and end together: each leaves
// its accumulators in global memory, waits until all are there, and finishes some of the tile's
// columns. No block has to add up a whole tile; all of them must be resident at once.
#pragma once

#include "tile/collective/split_k/reduce.cuh"

namespace aisp::tile {

// The workspace is that of SplitKReduce, one slot per slice; `flags` are counters here that only
// grow: every launch adds the number of slices to each, so nothing is reset between launches.
template <Sm90Config config>
class SplitKReduceScatter {
 public:
  TILE_DEVICE SplitKReduceScatter(const SplitKWorkspace& workspace, ClusterCoord coord,
                                  int warpgroup)
      : reduce_(workspace, coord, warpgroup), slots_(workspace, coord, warpgroup) {}

  // `slice` of `slices` in slots from `slot` on; `end` takes an atom along m, a fragment of it and
  // its four accumulators. This code runs once per block and comes cold from memory: the columns
  // are read back in a loop, where keeping them in registers would unroll it for every fragment
  // that might be the first.
  template <class End>
  TILE_DEVICE void finish(const Accumulators<config>& accumulators, int slot, int slice, int slices,
                          const End& end) const {
    reduce_.write(accumulators, slot + slice);
    meet(slot, slices);
    const int last = fragments * (slice + 1) / slices;
    for (int first = fragments * slice / slices; first < last; first += together) {
      Four totals[together]{};  // (4, TOGETHER)
#pragma unroll 2
      for (int other = 0; other < slices; ++other)  // in this order, whoever came first
#pragma unroll
        for (int i = 0; i < together; ++i)
          if (first + i < last) add(totals[i], slots_.at(slot + other)[(first + i) * 128]);
#pragma unroll
      for (int i = 0; i < together; ++i)
        if (first + i < last) end((first + i) / of_atom, (first + i) % of_atom, totals[i]);
    }
  }

 private:
  using Four = typename SplitKSlots<config>::Four;
  static constexpr int of_atom = config.tile_n / 8;
  static constexpr int fragments = Accumulators<config>::m_atoms * of_atom;
  static constexpr int together = 4;  // fragments whose loads are under way at once

  TILE_DEVICE static void add(Four& to, const Four& more) {
    to.x += more.x, to.y += more.y, to.z += more.z, to.w += more.w;
  }

  TILE_DEVICE void meet(int slot, int slices) const {
    reduce_.meet();  // one thread's release then speaks for all of them
    if (threadIdx.x % 128 == 0) {
      std::uint32_t* counter = slots_.flag(slot);
      const auto count = static_cast<std::uint32_t>(slices);
      const std::uint32_t target = (arch::add_release(counter, 1) / count + 1) * count;
      while (static_cast<std::int32_t>(arch::load_acquire(counter) - target) < 0) continue;
    }
    reduce_.meet();
  }

  SplitKReduce<config> reduce_;
  SplitKSlots<config> slots_;
};

}  // namespace aisp::tile
