#include "tile/schedule/tile_order.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace {

using tile::grouped_order;
using tile::TileCoord;

static_assert(grouped_order(0, {5, 7}, 2) == TileCoord{0, 0});
static_assert(grouped_order(1, {5, 7}, 2) == TileCoord{1, 0});
static_assert(grouped_order(14, {5, 7}, 2) == TileCoord{2, 0}, "the next group of rows");
static_assert(grouped_order(34, {5, 7}, 2) == TileCoord{4, 6}, "the last group has one row");

TEST(GroupedOrder, VisitsEveryTileOnce) {
  for (const tile::TileGrid grid : {tile::TileGrid{1, 1}, {7, 3}, {16, 16}, {5, 129}, {64, 1}})
    for (const int group : {1, 2, 3, 8, 16}) {
      std::set<std::pair<int, int>> seen;
      for (int i = 0; i < grid.count(); ++i) {
        const TileCoord at = grouped_order(i, grid, group);
        EXPECT_TRUE(at.m >= 0 && at.m < grid.m && at.n >= 0 && at.n < grid.n);
        EXPECT_TRUE(seen.insert({at.m, at.n}).second) << at.m << " " << at.n;
      }
    }
}

// What runs at once in a wave reads few rows of A and columns of B.
TEST(GroupedOrder, AWaveIsNearlySquare) {
  std::set<int> rows, columns;
  for (int i = 0; i < 128; ++i) {
    const TileCoord at = grouped_order(i, {64, 32}, 8);
    rows.insert(at.m);
    columns.insert(at.n);
  }
  EXPECT_EQ(rows.size(), 8u);
  EXPECT_EQ(columns.size(), 16u);
}

}  // namespace
