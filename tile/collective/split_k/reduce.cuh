// Several blocks split the sum over K of one output tile into slices: all but one leave their
// accumulators in global memory, the owner waits for them, adds them in a fixed order (the result
// does not depend on who came first) and goes on to the epilogue.
#pragma once

#include "tile/arch/barrier.cuh"
#include "tile/arch/memory.cuh"
#include "tile/collective/mainloop/accumulators.cuh"
#include "tile/pipeline/tma_ring.cuh"

namespace aisp::tile {

// `accumulators` has room for every slot; `flags`, one per slot, block of the cluster and
// warpgroup, are 0 before the first launch.
struct SplitKWorkspace {
  void* accumulators = nullptr;
  std::uint32_t* flags = nullptr;
};

// Where one warpgroup of one block of the cluster has its accumulators in each slot: four of each
// of its 128 threads, then the next four.
template <Sm90Config config>
class SplitKSlots {
 public:
  using Value = typename Accumulators<config>::Value;
  using Four = std::conditional_t<std::is_same_v<Value, int>, int4, float4>;
  static constexpr int warpgroups = config.blocks() * config.math_warpgroups;  // flags of a slot
  static constexpr int fours = config.rows_of_warpgroup() * config.tile_n / (4 * 128);
  static constexpr int bytes = warpgroups * fours * 128 * static_cast<int>(sizeof(Four));

  TILE_DEVICE SplitKSlots(const SplitKWorkspace& workspace, ClusterCoord coord, int warpgroup)
      : workspace_(workspace),
        warpgroup_((coord.m + coord.n * config.cluster_m) * config.math_warpgroups + warpgroup) {}

  TILE_DEVICE Four* at(int slot) const {
    return static_cast<Four*>(workspace_.accumulators) +
           (static_cast<std::int64_t>(slot) * warpgroups + warpgroup_) * (fours * 128) +
           threadIdx.x % 128;
  }
  TILE_DEVICE std::uint32_t* flag(int slot) const {
    return workspace_.flags + slot * warpgroups + warpgroup_;
  }

 private:
  SplitKWorkspace workspace_;
  int warpgroup_;  // of the cluster
};

template <Sm90Config config>
class SplitKReduce {
 public:
  TILE_DEVICE SplitKReduce(const SplitKWorkspace& workspace, ClusterCoord coord, int warpgroup)
      : slots_(workspace, coord, warpgroup), warpgroup_(warpgroup) {}

  TILE_DEVICE void leave(const Accumulators<config>& accumulators, int slot) const {
    write(accumulators, slot);
    meet();  // one thread's release then speaks for all of them
    if (threadIdx.x % 128 == 0) arch::store_release(slots_.flag(slot), 1);
  }

  TILE_DEVICE void write(const Accumulators<config>& accumulators, int slot) const {
    Four* to = slots_.at(slot);
#pragma unroll
    for (int m = 0; m < Accumulators<config>::m_atoms; ++m)
#pragma unroll
      for (int i = 0; i < fragments; ++i) {
        const auto* from = accumulators.of[m] + i * 4;  // (4)
        to[(m * fragments + i) * 128] = {from[0], from[1], from[2], from[3]};
      }
  }
  TILE_DEVICE void meet() const { arch::barrier_sync(warpgroup_ + 1, 128); }

  TILE_DEVICE void add(Accumulators<config>& accumulators, int slot, int count) const {
    for (int i = static_cast<int>(threadIdx.x) % 128; i < count; i += 128) {
      while (arch::load_acquire(slots_.flag(slot + i)) == 0) continue;
      *slots_.flag(slot + i) = 0;  // for the next launch
    }
    meet();
    for (int other = 0; other < count; ++other) {
      const Four* from = slots_.at(slot + other);
#pragma unroll
      for (int m = 0; m < Accumulators<config>::m_atoms; ++m)
#pragma unroll
        for (int i = 0; i < fragments; ++i) {
          const Four more = from[(m * fragments + i) * 128];
          auto* to = accumulators.of[m] + i * 4;  // (4)
          to[0] += more.x, to[1] += more.y, to[2] += more.z, to[3] += more.w;
        }
    }
  }

 private:
  using Four = typename SplitKSlots<config>::Four;
  static constexpr int fragments = config.tile_n / 8;  // of an atom along m

  SplitKSlots<config> slots_;
  int warpgroup_;
};

}  // namespace aisp::tile
