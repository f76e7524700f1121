// What a schedule hands out, and what it must be able to do. A worker is a block, or a cluster of
// blocks that work on neighbouring tiles; every role of a worker walks its own copy of the schedule
// and sees the same pieces in the same order.
#pragma once

#include <concepts>
#include <type_traits>

#include "tile/layout/target.hpp"

namespace tile {

// An output tile and the share of its sum over K.
struct WorkTile {
  int m = 0, n = 0;              // in tiles of the worker
  int batch = 0;                 // which product of a batch or group
  int k_first = 0, k_count = 0;  // in k tiles
  // Shares of one tile are numbered along K. Share 0 ends the tile: it waits for the sums of shares
  // 1, 2, ... in that order, adds them and stores. Share i > 0 leaves its sums in slot + i - 1.
  int share = 0, shares = 1;
  int slot = 0;  // the tile's first workspace slot, where shares > 1

  constexpr bool operator==(const WorkTile&) const = default;
};

// Params go to the kernel by value, byte by byte. A schedule with shares needs all its workers
// resident, and an order in which no two owners can wait for one another.
template <class S>
concept TileSchedule = std::is_trivially_copyable_v<typename S::Params> &&
    requires(S schedule, WorkTile& work, const typename S::Params& params, int count) {
  S(params, count, count);                                    // worker, workers
  { schedule.next(work) } -> std::same_as<bool>;              // false: no work is left
  { S::workers(params, count) } -> std::convertible_to<int>;  // to launch, of `count` that fit
  { S::slots(params, count) } -> std::convertible_to<int>;    // workspace tiles for `workers`
};

}  // namespace tile
