// The schedules that hand out whole tiles: single and persistent, and one written here.
#include <gtest/gtest.h>

#include "tests/tile/schedule/walks.hpp"
#include "tile/schedule/persistent.hpp"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

using namespace tile;

static_assert(sizeof(TileSpace) <= 32, "goes to kernels by value");

TEST(SingleTile, OneWorkerPerTile) {
  Dice dice(1);
  for (int trial = 0; trial < 200; ++trial) {
    const TileSpace space = dice.space(50);
    const int clusters = SingleTile::clusters(space, dice.from(1, 140));
    EXPECT_EQ(clusters, space.grid.count() * space.batch);
    EXPECT_EQ(SingleTile::slots(space, clusters), 0);
    const auto all = walks<SingleTile>(space, clusters);
    for (const Walk& walk : all) EXPECT_EQ(walk.size(), 1u);
    expect_each_k_block_once(all, lengths(space));
  }
}

TEST(Persistent, EveryTileOnceAndNoWorkerAWaveAhead) {
  Dice dice(2);
  for (int trial = 0; trial < 500; ++trial) {
    const TileSpace space = dice.space(50);
    const int fit = dice.from(1, 140), clusters = Persistent::clusters(space, fit);
    EXPECT_LE(clusters, fit);
    EXPECT_EQ(Persistent::slots(space, clusters), 0);
    const auto all = walks<Persistent>(space, clusters);
    expect_each_k_block_once(all, lengths(space));
    for (const Walk& walk : all) {
      EXPECT_GE(walk.size(), 1u) << "a cluster without work";
      EXPECT_LE(all.front().size() - walk.size(), 1u);
    }
  }
}

TEST(Persistent, AWaveIsAStretchOfTheRaster) {
  const TileSpace space{{6, 5}, 2, 3, {Raster::Along::m, 2}};
  const auto all = walks<Persistent>(space, 7);
  EXPECT_EQ(all[0][0], (WorkTile{.m = 0, .n = 0, .k_count = 3}));
  EXPECT_EQ(all[1][0], (WorkTile{.m = 1, .n = 0, .k_count = 3}));
  EXPECT_EQ(all[2][0], (WorkTile{.m = 0, .n = 1, .k_count = 3}));
  EXPECT_EQ(all[0][1], (WorkTile{.m = 1, .n = 3, .k_count = 3}));
  EXPECT_EQ(all[2][4], (WorkTile{.m = 0, .n = 0, .batch = 1, .k_count = 3}));
}

TEST(Persistent, NothingToDoNeedsNoWorkers) {
  EXPECT_EQ(Persistent::clusters({{0, 4}, 1, 8, {}}, 132), 0);
  EXPECT_EQ(SingleTile::clusters({{4, 4}, 0, 8, {}}, 132), 0);
}

// A schedule of one's own: tiles on and below the diagonal only, as in a causal product.
class LowerTriangle {
 public:
  static constexpr ScheduleKind kind = ScheduleKind::whole_tiles;
  struct Params {
    int rows = 0, k_blocks = 0;
  };

  TILE_FN LowerTriangle(const Params& params, int cluster, int clusters)
      : params_(params), column_(cluster), step_(clusters) {}

  TILE_FN bool next(WorkTile& work) {
    while (column_ > row_) column_ -= ++row_;
    if (row_ >= params_.rows) return false;
    work = {.m = row_, .n = column_, .k_count = params_.k_blocks};
    column_ += step_;
    return true;
  }

  static TILE_FN int clusters(const Params&, int fit) { return fit; }
  static TILE_FN int slots(const Params&, int) { return 0; }

 private:
  Params params_;
  int row_ = 0, column_, step_;
};

static_assert(TileSchedule<LowerTriangle>);

TEST(CustomSchedule, PassesTheSameQuestions) {
  for (const int clusters : {1, 2, 7, 132}) {
    TileLengths expected;
    for (int m = 0; m < 20; ++m)
      for (int n = 0; n <= m; ++n) expected[{0, m, n}] = 4;
    expect_each_k_block_once(walks<LowerTriangle>({20, 4}, clusters), expected);
  }
}

// 5x3 tiles fit three clusters: a constant evaluation walks a schedule too.
constexpr int work(int cluster) {
  Persistent schedule({{5, 3}, 1, 2, {Raster::Along::hilbert}}, cluster, 4);
  int count = 0;
  for (WorkTile work; schedule.next(work);) ++count;
  return count;
}
static_assert(work(0) == 4 && work(3) == 3);

}  // namespace
