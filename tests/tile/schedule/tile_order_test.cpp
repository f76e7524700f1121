#include "tile/schedule/tile_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

using namespace aisp;

namespace {

using tile::grouped_order;
using tile::hilbert_order;
using tile::Raster;
using tile::TileCoord;
using tile::TileGrid;

static_assert(grouped_order(0, {5, 7}, 2) == TileCoord{0, 0});
static_assert(grouped_order(1, {5, 7}, 2) == TileCoord{1, 0});
static_assert(grouped_order(14, {5, 7}, 2) == TileCoord{2, 0}, "the next group of rows");
static_assert(grouped_order(34, {5, 7}, 2) == TileCoord{4, 6}, "the last group has one row");

static_assert(Raster{}.at(8, {5, 7}) == TileCoord{1, 1}, "row by row");
static_assert(Raster{Raster::Along::m, 2}.at(14, {5, 7}) == TileCoord{2, 0});
static_assert(Raster{Raster::Along::n, 1}.at(6, {5, 7}) == TileCoord{1, 1}, "column by column");
static_assert(Raster{Raster::Along::n, 2}.at(10, {5, 7}) == TileCoord{0, 2});
static_assert(Raster{Raster::Along::n, 2}.at(34, {5, 7}) == TileCoord{4, 6});

static_assert(hilbert_order(0, {2, 2}) == TileCoord{0, 0});
static_assert(hilbert_order(1, {2, 2}) == TileCoord{1, 0});
static_assert(hilbert_order(2, {2, 2}) == TileCoord{1, 1});
static_assert(hilbert_order(3, {2, 2}) == TileCoord{0, 1});

void expect_each_tile_once(Raster raster, TileGrid grid) {
  std::set<std::pair<int, int>> seen;
  for (int i = 0; i < grid.count(); ++i) {
    const TileCoord at = raster.at(i, grid);
    ASSERT_TRUE(at.m >= 0 && at.m < grid.m && at.n >= 0 && at.n < grid.n)
        << at.m << ' ' << at.n << " in " << grid.m << 'x' << grid.n;
    ASSERT_TRUE(seen.insert({at.m, at.n}).second)
        << at.m << ' ' << at.n << " again in " << grid.m << 'x' << grid.n;
  }
}

TEST(Raster, GroupsVisitEveryTileOnce) {
  for (const TileGrid grid : {TileGrid{1, 1}, {7, 3}, {16, 16}, {5, 129}, {64, 1}, {1, 64}})
    for (const int group : {1, 2, 3, 8, 16}) {
      expect_each_tile_once({Raster::Along::m, group}, grid);
      expect_each_tile_once({Raster::Along::n, group}, grid);
    }
}

TEST(Raster, HilbertVisitsEveryTileOfAnyGridOnce) {
  for (int m = 1; m <= 40; ++m)
    for (int n = 1; n <= 40; ++n) expect_each_tile_once({Raster::Along::hilbert}, {m, n});
  expect_each_tile_once({Raster::Along::hilbert}, {3, 1001});
  expect_each_tile_once({Raster::Along::hilbert}, {257, 2});
}

TEST(Raster, HilbertNeighboursTouch) {
  for (int m = 1; m <= 40; ++m)
    for (int n = 1; n <= 40; ++n) {
      int corners = 0;
      for (int i = 1; i < m * n; ++i) {
        const TileCoord from = hilbert_order(i - 1, {m, n}), to = hilbert_order(i, {m, n});
        const int rows = std::abs(to.m - from.m), columns = std::abs(to.n - from.n);
        ASSERT_LE(std::max(rows, columns), 1) << m << 'x' << n << " at " << i;
        corners += rows + columns > 1;
      }
      const bool even = m % 2 == 0 && n % 2 == 0;
      EXPECT_LE(corners, even ? 0 : 1) << m << 'x' << n;
    }
}

// How much of A and B the tiles of a wave read: rows and columns of tiles, at most and on average.
struct Reach {
  int most = 0;
  double mean = 0;
};

Reach reach(Raster raster, TileGrid grid, int wave) {
  Reach out;
  const int windows = grid.count() - wave + 1;
  for (int first = 0; first < windows; ++first) {
    std::set<int> rows, columns;
    for (int i = first; i < first + wave; ++i) {
      const TileCoord at = raster.at(i, grid);
      rows.insert(at.m);
      columns.insert(at.n);
    }
    const int both = static_cast<int>(rows.size() + columns.size());
    out.most = std::max(out.most, both);
    out.mean += static_cast<double>(both) / windows;
  }
  return out;
}

TEST(Raster, WavesReadLessInGroupsThanInRows) {
  const TileGrid grid{64, 32};
  const Reach rows = reach({}, grid, 132);
  const Reach along_m = reach({Raster::Along::m, 8}, grid, 132);
  const Reach along_n = reach({Raster::Along::n, 8}, grid, 132);
  const Reach hilbert = reach({Raster::Along::hilbert}, grid, 132);
  EXPECT_LT(along_m.most, rows.most);
  EXPECT_LT(along_n.most, rows.most);
  EXPECT_LT(hilbert.most, rows.most);
  EXPECT_LT(along_m.mean, 0.8 * rows.mean);
  EXPECT_LT(along_n.mean, 0.8 * rows.mean);
  EXPECT_LT(hilbert.mean, 0.8 * rows.mean);
}

// What runs at once in a wave reads few rows of A and columns of B.
TEST(Raster, AWaveOfAGroupIsNearlySquare) {
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
