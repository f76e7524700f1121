// Stream-K: tiles that fill whole waves are handed out one by one, the k-blocks of the rest are cut
// into equal ranges over all clusters, so that no cluster idles in a last, partly filled wave. A
// cluster begins with its range: the tail or the middle of a tile that another one began, then
// whole tiles, then the head of a tile that the next one goes on with. Its whole tiles follow.
//
// Nobody waits for ever: only a head (slice 0) waits, only for tails and middles (slice > 0), and
// one of those is always the first thing its cluster does. All clusters are resident, so the slices
// that are waited for run without waiting themselves, however many clusters a tile spans.
#pragma once

#include "tile/schedule/k_ranges.hpp"
#include "tile/schedule/tile_space.hpp"

namespace aisp::tile {

class StreamK {
 public:
  static constexpr ScheduleKind kind = ScheduleKind::stream_k;
  struct Params {
    TileSpace tiles{};
    // Cut one full wave too: ranges are then one to two tiles long and a tile has few slices, where
    // the rest alone would be cut into many short ones.
    bool full_wave = true;
    int least_k = 4;  // k-blocks in a slice, at least 1; a tile of less than two of them is not cut
  };
  static TILE_FN Params params(const TileSpace& tiles, const LaunchChoice&) {
    return {.tiles = tiles};
  }

  TILE_FN StreamK(const Params& params, int cluster, int clusters)
      : tiles_(params.tiles),
        ranges_(ranges(params, clusters)),
        cluster_(cluster),
        step_(clusters) {
    whole_ = cut_tiles(params, clusters) + cluster;
    if (cluster >= ranges_.ranges) return;
    position_ = ranges_.cut(cluster);
    end_ = ranges_.cut(cluster + 1);
  }

  TILE_FN bool next(WorkTile& work) {
    if (position_ < end_) {
      work = next_of_range();
      return true;
    }
    if (whole_ >= tiles_.count()) return false;
    work = tiles_.at(whole_);
    whole_ += step_;
    return true;
  }

  static TILE_FN int clusters(const Params& params, int fit) {
    const int ranges_that_help = ranges(params, fit).ranges;
    const int useful =
        ranges_that_help > params.tiles.count() ? ranges_that_help : params.tiles.count();
    return useful < fit ? useful : fit;
  }

  // One per range but the first. A range that begins at a tile's edge leaves its slot unused: to
  // close the gaps a kernel would have to look at every cut.
  static TILE_FN int slots(const Params& params, int clusters) {
    const int count = ranges(params, clusters).ranges;
    return count > 1 ? count - 1 : 0;
  }

 private:
  // How many tiles, the first in raster order, are cut.
  static TILE_FN int cut_tiles(const Params& params, int clusters) {
    const int count = params.tiles.count();
    const int rest = count > 0 ? count % clusters : 0;
    if (rest == 0 || params.tiles.k_blocks < 2 * params.least_k) return 0;
    return params.full_wave && count > clusters ? rest + clusters : rest;
  }

  static TILE_FN KRanges ranges(const Params& params, int clusters) {
    const int total = cut_tiles(params, clusters) * params.tiles.k_blocks;
    const int most = total / params.least_k;
    return {params.tiles.k_blocks, total, most < clusters ? most : clusters, params.least_k};
  }

  TILE_FN WorkTile next_of_range() {
    const int tile = position_ / ranges_.k_blocks;
    const int begin = tile * ranges_.k_blocks, tile_end = begin + ranges_.k_blocks;
    const int end = end_ < tile_end ? end_ : tile_end;
    WorkTile work = tiles_.slice_at(tile, position_ - begin, end - begin);
    if (work.k_count < ranges_.k_blocks) {
      const int owner = ranges_.holder(begin);
      work.slice = cluster_ - owner;
      work.slices = ranges_.holder(tile_end - 1) - owner + 1;
      work.slot = owner;
    }
    position_ = end;
    return work;
  }

  TileSpace tiles_;
  KRanges ranges_;
  int cluster_, step_;
  int position_ = 0, end_ = 0;  // of the cluster's range, in k-blocks of all cut tiles
  int whole_ = 0;               // next whole tile
};

static_assert(TileSpaceSchedule<StreamK>);

}  // namespace aisp::tile
