// What a tile scheduler hands out, and what it must be able to do. It hands tiles to clusters: a
// block alone, or several blocks that work on neighbouring tiles. Every role of a block has its own
// copy of the scheduler and sees the same work in the same order.
#pragma once

#include <concepts>
#include <type_traits>

#include "tile/layout/target.hpp"

namespace aisp::tile {

// What becomes of a tile's sum over K.
enum class ScheduleKind {
  whole_tiles,      // one cluster computes all of it
  split_k,          // slices of K: one cluster adds up all accumulators and stores
  split_k_scatter,  // slices of K: each cluster adds up and stores some columns of the tile
  stream_k,         // as split_k, of the tiles that do not fill a wave
};

// An output tile and the split-K slice of it.
struct WorkTile {
  int m = 0, n = 0;              // in tiles of the cluster
  int batch = 0;                 // which product of a batch or group
  int k_first = 0, k_count = 0;  // in k-blocks
  // Slices of one tile are numbered along K. Slice 0 ends the tile: it waits for the accumulators
  // of slices 1, 2, ... in that order, adds them and stores. Slice i > 0 leaves its accumulators in
  // slot + i - 1.
  int slice = 0, slices = 1;
  int slot = 0;  // the tile's first workspace slot, where slices > 1

  constexpr bool operator==(const WorkTile&) const = default;
};

// Params go to the kernel by value, byte by byte. A schedule with slices needs all its clusters
// resident, and an order in which no two owners can wait for one another.
template <class S>
concept TileSchedule = std::is_trivially_copyable_v<typename S::Params> &&
    requires(S schedule, WorkTile& work, const typename S::Params& params, int count) {
  { S::kind } -> std::convertible_to<ScheduleKind>;
  S(params, count, count);                                     // cluster, clusters
  { schedule.next(work) } -> std::same_as<bool>;               // false: no work is left
  { S::clusters(params, count) } -> std::convertible_to<int>;  // to launch, of `count` that fit
  { S::slots(params, count) } -> std::convertible_to<int>;     // workspace tiles for `clusters`
};

}  // namespace aisp::tile
