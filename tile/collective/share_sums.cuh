// Several blocks share the sum over K of one output tile: all but one leave their sums in global
// memory, the owner waits for them, adds them in a fixed order (the result does not depend on who
// came first) and goes on to the epilogue.
#pragma once

#include "tile/arch/memory.cuh"
#include "tile/collective/shared_operands.cuh"

namespace tile {

// `sums` has room for every slot; `flags`, one per slot, block of the cluster and warpgroup, are 0
// before the first launch.
struct ShareWorkspace {
  void* sums = nullptr;
  std::uint32_t* flags = nullptr;
};

// Where one warpgroup of one block of the cluster has its part of each slot: four sums of each of
// its 128 threads, then the next four.
template <GemmConfig config>
class ShareSlots {
 public:
  using Value = typename Sums<config>::Value;
  using Four = std::conditional_t<std::is_same_v<Value, int>, int4, float4>;
  static constexpr int parts = config.blocks() * config.math_warpgroups;  // flags of a slot
  static constexpr int fours = config.rows_of_warpgroup() * config.tile_n / (4 * 128);
  static constexpr int bytes = parts * fours * 128 * static_cast<int>(sizeof(Four));

  TILE_DEVICE ShareSlots(const ShareWorkspace& workspace, ClusterPlace place, int warpgroup)
      : workspace_(workspace),
        part_((place.m + place.n * config.cluster_m) * config.math_warpgroups + warpgroup) {}

  TILE_DEVICE Four* at(int slot) const {
    return static_cast<Four*>(workspace_.sums) +
           (static_cast<std::int64_t>(slot) * parts + part_) * (fours * 128) + threadIdx.x % 128;
  }
  TILE_DEVICE std::uint32_t* flag(int slot) const {
    return workspace_.flags + slot * parts + part_;
  }

 private:
  ShareWorkspace workspace_;
  int part_;
};

template <GemmConfig config>
class ShareSums {
 public:
  TILE_DEVICE ShareSums(const ShareWorkspace& workspace, ClusterPlace place, int warpgroup)
      : slots_(workspace, place, warpgroup), warpgroup_(warpgroup) {}

  TILE_DEVICE void leave(const Sums<config>& sums, int slot) const {
    write(sums, slot);
    meet();  // one thread's release then speaks for all of them
    if (threadIdx.x % 128 == 0) arch::store_release(slots_.flag(slot), 1);
  }

  TILE_DEVICE void write(const Sums<config>& sums, int slot) const {
    Four* to = slots_.at(slot);
#pragma unroll
    for (int half = 0; half < Sums<config>::halves; ++half)
#pragma unroll
      for (int i = 0; i < in_half; ++i) {
        const auto* from = sums.of[half] + i * 4;
        to[(half * in_half + i) * 128] = {from[0], from[1], from[2], from[3]};
      }
  }
  TILE_DEVICE void meet() const { arch::barrier_sync(warpgroup_ + 1, 128); }

  TILE_DEVICE void add(Sums<config>& sums, int slot, int count) const {
    for (int i = static_cast<int>(threadIdx.x) % 128; i < count; i += 128) {
      while (arch::load_acquire(slots_.flag(slot + i)) == 0) continue;
      *slots_.flag(slot + i) = 0;  // for the next launch
    }
    meet();
    for (int other = 0; other < count; ++other) {
      const Four* from = slots_.at(slot + other);
#pragma unroll
      for (int half = 0; half < Sums<config>::halves; ++half)
#pragma unroll
        for (int i = 0; i < in_half; ++i) {
          const Four more = from[(half * in_half + i) * 128];
          auto* to = sums.of[half] + i * 4;
          to[0] += more.x, to[1] += more.y, to[2] += more.z, to[3] += more.w;
        }
    }
  }

 private:
  using Four = typename ShareSlots<config>::Four;
  static constexpr int in_half = config.tile_n / 8;

  ShareSlots<config> slots_;
  int warpgroup_;
};

}  // namespace tile
