// Every tile's K in near-equal shares, for few tiles with a long sum. Workers stride over all
// shares of all tiles; those of one tile stand side by side, so that neighbouring workers have them
// at the same time.
//
// Nobody waits for ever: share 0 stands last among the shares of its tile and a worker goes through
// its shares in rising order. So the lowest share of all that is not done waits for none: it is no
// share 0, or the others of its tile, all of them lower, are done. Its worker has nothing left
// before it, and is resident since no more workers are launched than fit.
#pragma once

#include "tile/schedule/tile_space.hpp"

namespace tile {

class SplitK {
 public:
  struct Params {
    TileSpace tiles{};
    int splits = 2;  // wanted; a share holds one k tile at least

    TILE_FN int shares() const {
      const int most = splits < tiles.k_tiles ? splits : tiles.k_tiles;
      return most > 1 ? most : 1;
    }
    TILE_FN int count() const { return tiles.count() * shares(); }
  };

  TILE_FN SplitK(const Params& params, int worker, int workers)
      : tiles_(params.tiles),
        shares_(params.shares()),
        count_(params.count()),
        position_(worker),
        step_(workers) {}

  TILE_FN bool next(WorkTile& work) {
    if (position_ >= count_) return false;
    const int tile = position_ / shares_;
    const int share = shares_ - 1 - position_ % shares_;
    work = tiles_.share_at(tile, k_first(share), k_first(share + 1));
    work.share = share;
    work.shares = shares_;
    work.slot = tile * (shares_ - 1);
    position_ += step_;
    return true;
  }

  static TILE_FN int workers(const Params& params, int fit) {
    return params.count() < fit ? params.count() : fit;
  }
  static TILE_FN int slots(const Params& params, int) {
    return params.tiles.count() * (params.shares() - 1);
  }

 private:
  // Rounded down, so that share 0, which also has the sums to add, is never the longer one.
  TILE_FN int k_first(int share) const { return tiles_.k_tiles * share / shares_; }

  TileSpace tiles_;
  int shares_, count_;
  int position_, step_;
};

static_assert(TileSchedule<SplitK>);

// The same shares for kernels in which all blocks of a tile end together and each finishes a slice
// of it: every share leaves sums, and all of them run at once, so no worker may have two.
class SplitKSlices : public SplitK {
 public:
  using SplitK::SplitK;

  TILE_FN bool next(WorkTile& work) {
    if (!SplitK::next(work)) return false;
    if (work.shares > 1) work.slot = work.slot / (work.shares - 1) * work.shares;
    return true;
  }
  static TILE_FN int workers(const Params& params, int) { return params.count(); }
  static TILE_FN int slots(const Params& params, int) {
    return params.shares() > 1 ? params.count() : 0;
  }
  // As many splits as run at once.
  static TILE_FN Params fitted(Params params, int fit) {
    const int most = fit / (params.tiles.count() > 0 ? params.tiles.count() : 1);
    if (params.splits > most) params.splits = most;
    return params;
  }
};

static_assert(TileSchedule<SplitKSlices>);

}  // namespace tile
