// In which order a rank computes the tiles of C.
#pragma once

#include "tile/schedule/tile_order.hpp"
#include "tile/schedule/work.hpp"

namespace aisp::ch14 {

// Tiles of other ranks first, its own last, so that no block waits for others before it has put all
// that others wait for. Pairs of blocks stride over them, and all keep to this order.
class OwnTilesLast {
 public:
  struct Params {
    tile::TileGrid grid{};          // a pair of tiles counts as one
    int first_row = 0, others = 0;  // rows of the grid that are others', from first_row round
    int k_blocks = 0;
  };
  static constexpr tile::ScheduleKind kind = tile::ScheduleKind::whole_tiles;

  TILE_FN OwnTilesLast(const Params& params, int pair, int pairs)
      : params_(params), tile_(pair), step_(pairs) {}

  TILE_FN bool next(tile::WorkTile& work) {
    const auto& [grid, first_row, others, k_blocks] = params_;
    if (tile_ >= grid.count()) return false;
    const int ahead = tile_ < others * grid.n ? 0 : others;  // rows before this part's
    const tile::TileGrid part{ahead == 0 ? others : grid.m - others, grid.n};
    const tile::TileCoord at = tile::grouped_order(tile_ - ahead * grid.n, part, rows_together);
    work = {.m = (first_row + ahead + at.m) % grid.m, .n = at.n, .k_count = k_blocks};
    tile_ += step_;
    return true;
  }

  static TILE_FN int clusters(const Params& params, int fit) {
    return params.grid.count() < fit ? params.grid.count() : fit;
  }
  static TILE_FN int slots(const Params&, int) { return 0; }

 private:
  static constexpr int rows_together = 4;  // whose columns of B L2 brings once

  Params params_;
  int tile_, step_;
};
static_assert(tile::TileSchedule<OwnTilesLast>);

}  // namespace aisp::ch14
