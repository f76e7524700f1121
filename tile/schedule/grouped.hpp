// Products of different sizes in one launch, such as the experts of a mixture: clusters stride over
// all tiles of all groups. The records lie in device memory, where a kernel that sorts tokens can
// write them; the host needs only an upper bound of the tiles.
#pragma once

#include "tile/schedule/tile_order.hpp"
#include "tile/schedule/work.hpp"

namespace aisp::tile {

// One group. 16 bytes, so that a thread reads it at once.
struct alignas(16) GroupTiles {
  int first_tile = 0;  // tiles of all groups before it
  int m = 0, n = 0;    // tiles in each direction; a group without tiles is passed over
  int k_blocks = 0;    // 0: the tiles are visited with k_count 0, so that the output is written

  TILE_FN TileGrid grid() const { return {m, n}; }
  constexpr bool operator==(const GroupTiles&) const = default;
};

class Grouped {
 public:
  static constexpr ScheduleKind kind = ScheduleKind::whole_tiles;
  struct Params {
    const GroupTiles* groups = nullptr;
    int count = 0;  // groups
    int tiles = 0;  // of all groups, or more where the host cannot know
    Raster raster{};
  };

  TILE_FN Grouped(const Params& params, int cluster, int clusters)
      : params_(params), tile_(cluster), step_(clusters) {
    if (params.count > 0) here_ = params.groups[0];
  }

  TILE_FN bool next(WorkTile& work) {
    advance_to_group();
    const int in_group = tile_ - here_.first_tile;
    if (in_group >= here_.grid().count()) return false;
    const TileCoord at = params_.raster.at(in_group, here_.grid());
    work = {.m = at.m, .n = at.n, .batch = group_, .k_count = here_.k_blocks};
    tile_ += step_;
    return true;
  }

  static TILE_FN int clusters(const Params& params, int fit) {
    return params.tiles < fit ? params.tiles : fit;
  }
  static TILE_FN int slots(const Params&, int) { return 0; }

 private:
  // The last group that begins at or before the tile: an empty group begins where the next one
  // does. Tiles only rise, so the search goes on from where it is, a cache line of records at a
  // time.
  TILE_FN void advance_to_group() {
    if (tile_ - here_.first_tile < here_.grid().count()) return;
    constexpr int line = 128 / sizeof(GroupTiles);
    const int before = group_;
    while (begins_by_now(group_ + line)) group_ += line;
    while (begins_by_now(group_ + 1)) ++group_;
    if (group_ != before) here_ = params_.groups[group_];
  }

  TILE_FN bool begins_by_now(int group) const {
    return group < params_.count && params_.groups[group].first_tile <= tile_;
  }

  Params params_;
  GroupTiles here_{};  // the record of group_
  int group_ = 0;
  int tile_, step_;
};

static_assert(TileSchedule<Grouped>);

}  // namespace aisp::tile
