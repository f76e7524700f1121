#include "tile/schedule/grouped.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/refuse.hpp"
#include "tests/tile/schedule/walks.hpp"
#include "tile/schedule/group_tiles.hpp"

using namespace aisp;

namespace {

using namespace tile;

static_assert(sizeof(Grouped::Params) <= 24 && sizeof(GroupTiles) == 16);

constexpr ProductSize tile_size{128, 256, 64};

TileLengths lengths_of(const GroupRecords& records) {
  TileLengths all;
  for (int group = 0; const GroupTiles& record : records.groups) {
    for (int m = 0; m < record.m; ++m)
      for (int n = 0; n < record.n; ++n) all[{group, m, n}] = record.k_blocks;
    ++group;
  }
  return all;
}

TEST(Grouped, RecordsHoldTilesAndWhereTheyBegin) {
  const std::vector<ProductSize> sizes{{1, 256, 64}, {0, 512, 64}, {129, 257, 65}, {128, 256, 0}};
  const GroupRecords records = group_records(sizes, tile_size);
  const std::vector<GroupTiles> expected{{0, 1, 1, 1}, {1, 0, 2, 1}, {1, 2, 2, 2}, {5, 1, 1, 0}};
  EXPECT_EQ(records.groups, expected);
  EXPECT_EQ(records.tiles, 6);
}

TEST(Grouped, EveryTileOfEveryGroupOnce) {
  Dice dice(6);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<ProductSize> sizes(dice.from(0, 80));
    const int empty = dice.from(0, 4);  // of 4: how likely a group has no rows
    for (ProductSize& size : sizes)
      size = {dice.from(1, 4) <= empty ? 0 : dice.from(1, 900), dice.from(0, 700),
              dice.from(0, 3) == 0 ? 0 : dice.from(1, 500)};
    const GroupRecords records = group_records(sizes, tile_size);
    const auto params = records.params(records.groups.data(), dice.raster());
    const int fit = dice.from(1, 140), clusters = Grouped::clusters(params, fit);
    EXPECT_LE(clusters, fit);
    EXPECT_EQ(Grouped::slots(params, clusters), 0);
    const auto all = walks<Grouped>(params, clusters);
    expect_each_k_block_once(all, lengths_of(records));
    for (const Walk& walk : all) EXPECT_LE(all.front().size() - walk.size(), 1u);
  }
}

// Where only the device knows the sizes, the host launches for an upper bound.
TEST(Grouped, MoreWorkersThanTilesEndAtOnce) {
  const std::vector<ProductSize> sizes{{300, 256, 64}, {0, 256, 64}, {5, 256, 64}};
  const GroupRecords records = group_records(sizes, tile_size);
  auto params = records.params(records.groups.data(), {});
  params.tiles = 1000;
  const int clusters = Grouped::clusters(params, 132);
  EXPECT_EQ(clusters, 132);
  expect_each_k_block_once(walks<Grouped>(params, clusters), lengths_of(records));
}

TEST(Grouped, NoGroupsAtAll) {
  EXPECT_EQ(Grouped::clusters({}, 132), 0);
  for (const Walk& walk : walks<Grouped>({}, 3)) EXPECT_TRUE(walk.empty());
  const GroupTiles empty[] = {{0, 0, 4, 2}, {0, 0, 4, 2}};
  for (const Walk& walk : walks<Grouped>({empty, 2, 0, {}}, 3)) EXPECT_TRUE(walk.empty());
}

std::string refusal(std::vector<ProductSize> sizes, ProductSize tile) {
  try {
    group_records(sizes, tile);
  } catch (const base::Refusal& refused) {
    return refused.what();
  }
  return "";
}

TEST(Grouped, RecordsRefuseSizesThatCannotBe) {
  EXPECT_NE(
      refusal({{1, 1, 1}, {-3, 1, 1}}, tile_size).find("group 1 has a negative extent: -3x1x1"),
      std::string::npos);
  EXPECT_NE(refusal({{1, 1, 1}}, {128, 0, 64}).find("a tile of 128x0x64"), std::string::npos);
  EXPECT_NE(
      refusal({{1, 1, 1}, {std::int64_t{1} << 40, 1 << 20, 1}}, tile_size).find("group 1 of "),
      std::string::npos);
  EXPECT_NE(refusal({{0, std::int64_t{1} << 42, 1}}, tile_size).find("group 0 of 0x"),
            std::string::npos);
}

}  // namespace
