// Every tile's K in near-equal slices, for few tiles with a long sum. Clusters stride over all
// slices of all tiles; those of one tile stand side by side, so that neighbouring clusters have
// them at the same time.
//
// Nobody waits for ever: slice 0 stands last among the slices of its tile and a cluster goes
// through its slices in rising order. So the lowest slice of all that is not done waits for none:
// it is no slice 0, or the others of its tile, all of them lower, are done. Its cluster has nothing
// left before it, and is resident since no more clusters are launched than fit.
#pragma once

#include "tile/schedule/tile_space.hpp"

namespace aisp::tile {

class SplitK {
 public:
  static constexpr ScheduleKind kind = ScheduleKind::split_k;
  struct Params {
    TileSpace tiles{};
    int splits = 2;  // wanted; a slice holds one k-block at least

    TILE_FN int slices() const {
      const int most = splits < tiles.k_blocks ? splits : tiles.k_blocks;
      return most > 1 ? most : 1;
    }
    TILE_FN int count() const { return tiles.count() * slices(); }
  };
  static TILE_FN Params params(const TileSpace& tiles, const LaunchChoice& choice) {
    return {.tiles = tiles, .splits = choice.splits};
  }

  TILE_FN SplitK(const Params& params, int cluster, int clusters)
      : tiles_(params.tiles),
        slices_(params.slices()),
        count_(params.count()),
        position_(cluster),
        step_(clusters) {}

  TILE_FN bool next(WorkTile& work) {
    if (position_ >= count_) return false;
    const int tile = position_ / slices_;
    const int slice = slices_ - 1 - position_ % slices_;
    work = tiles_.slice_at(tile, k_first(slice), k_first(slice + 1));
    work.slice = slice;
    work.slices = slices_;
    work.slot = tile * (slices_ - 1);
    position_ += step_;
    return true;
  }

  static TILE_FN int clusters(const Params& params, int fit) {
    return params.count() < fit ? params.count() : fit;
  }
  static TILE_FN int slots(const Params& params, int) {
    return params.tiles.count() * (params.slices() - 1);
  }

 private:
  // Rounded down, so that slice 0, which also has the accumulators to add, is never the longer one.
  TILE_FN int k_first(int slice) const { return tiles_.k_blocks * slice / slices_; }

  TileSpace tiles_;
  int slices_, count_;
  int position_, step_;
};

static_assert(TileSpaceSchedule<SplitK>);

// The same slices for kernels in which all clusters of a tile end together and each stores some of
// its columns (reduce-scatter): every slice leaves accumulators, and all of them run at once, so no
// cluster may have two.
class SplitKScatter : public SplitK {
 public:
  static constexpr ScheduleKind kind = ScheduleKind::split_k_scatter;
  static constexpr bool block_per_tile = true;
  using SplitK::SplitK;

  TILE_FN bool next(WorkTile& work) {
    if (!SplitK::next(work)) return false;
    if (work.slices > 1) work.slot = work.slot / (work.slices - 1) * work.slices;
    return true;
  }
  static TILE_FN int clusters(const Params& params, int) { return params.count(); }
  static TILE_FN int slots(const Params& params, int) {
    return params.slices() > 1 ? params.count() : 0;
  }
  // As many splits as run at once.
  static TILE_FN Params fitted(Params params, int fit) {
    const int most = fit / (params.tiles.count() > 0 ? params.tiles.count() : 1);
    if (params.splits > most) params.splits = most;
    return params;
  }
};

static_assert(TileSpaceSchedule<SplitKScatter>);

}  // namespace aisp::tile
