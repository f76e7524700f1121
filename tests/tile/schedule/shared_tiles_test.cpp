// The schedules that cut a tile's K: split-K and stream-K.
#include <gtest/gtest.h>

#include "tests/tile/schedule/walks.hpp"
#include "tile/schedule/split_k.hpp"
#include "tile/schedule/stream_k.hpp"

using namespace aisp;

namespace {

using namespace tile;

static_assert(sizeof(SplitK::Params) <= 40 && sizeof(StreamK::Params) <= 40);

int ceil_div(int a, int b) { return (a + b - 1) / b; }

TEST(SplitK, EveryShareOnceInItsOwnSlot) {
  Dice dice(3);
  for (int trial = 0; trial < 500; ++trial) {
    const SplitK::Params params{dice.space(40), dice.from(1, 20)};
    const int fit = dice.from(1, 140), clusters = SplitK::clusters(params, fit);
    EXPECT_LE(clusters, fit);
    const auto all = walks<SplitK>(params, clusters);
    expect_each_k_block_once(all, lengths(params.tiles));

    const std::set<int> used = slots_in_use(all);
    const int slots = SplitK::slots(params, clusters);
    EXPECT_EQ(static_cast<int>(used.size()), slots);
    if (slots > 0) {
      EXPECT_TRUE(*used.begin() == 0 && *used.rbegin() == slots - 1);
    }
    EXPECT_TRUE(comes_to_its_end(all)) << clusters << " clusters";
  }
}

TEST(SplitK, SharesAreNearlyEqualAndTheOwnersNotTheLonger) {
  const SplitK::Params params{{{2, 3}, 1, 23, {}}, 7};
  for (const auto& [tile, slices] : slices_of(walks<SplitK>(params, 13))) {
    ASSERT_EQ(slices.size(), 7u);
    EXPECT_EQ(slices[0].k_count, 3);
    for (const WorkTile& work : slices) EXPECT_TRUE(work.k_count == 3 || work.k_count == 4);
  }
}

TEST(SplitK, MoreSplitsThanKTilesAreFewerSplits) {
  const SplitK::Params few{{{2, 3}, 1, 3, {}}, 8}, none{{{2, 3}, 1, 0, {}}, 8};
  EXPECT_EQ(few.slices(), 3);
  EXPECT_EQ(none.slices(), 1);
  EXPECT_EQ(SplitK::clusters(none, 132), 6);
  EXPECT_EQ(SplitK::slots(none, 6), 0);
}

TEST(SplitK, SharesOfATileRunOnNeighbours) {
  const auto all = walks<SplitK>({{{4, 4}, 1, 32, {}}, 4}, 64);
  for (int cluster = 0; cluster < 64; ++cluster) {
    ASSERT_EQ(all[cluster].size(), 1u);
    EXPECT_EQ(all[cluster][0].slice, 3 - cluster % 4);
    EXPECT_EQ(name(all[cluster][0]), name(all[cluster / 4 * 4][0]));
  }
}

// The question itself can say no: with its slices in the other order a single cluster waits for
// itself.
TEST(SplitK, TheOtherOrderWouldWaitForEver) {
  auto all = walks<SplitK>({{{2, 2}, 1, 8, {}}, 4}, 1);
  EXPECT_TRUE(comes_to_its_end(all));
  std::reverse(all[0].begin(), all[0].end());
  EXPECT_FALSE(comes_to_its_end(all));
}

StreamK::Params random_stream_k(Dice& dice) {
  return {dice.space(100), dice.from(0, 1) == 1, dice.from(1, 8)};
}

// Waits cannot form a cycle: what is waited for comes first in its cluster's walk.
void expect_followers_come_first(const std::vector<Walk>& all) {
  for (const Walk& walk : all)
    for (std::size_t at = 1; at < walk.size(); ++at) EXPECT_EQ(walk[at].slice, 0);
}

void expect_shares_not_below(const std::vector<Walk>& all, int least) {
  for (const Walk& walk : all)
    for (const WorkTile& work : walk)
      if (work.slices > 1) {
        EXPECT_GE(work.k_count, least);
      }
}

TEST(StreamK, EveryKTileOnceAndNobodyWaitsForEver) {
  Dice dice(4);
  int tiles_of_three = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const StreamK::Params params = random_stream_k(dice);
    const int fit = dice.from(1, 140), clusters = StreamK::clusters(params, fit);
    ASSERT_TRUE(clusters >= 1 && clusters <= fit);
    const auto all = walks<StreamK>(params, clusters);
    expect_each_k_block_once(all, lengths(params.tiles));
    expect_followers_come_first(all);
    expect_shares_not_below(all, params.least_k);
    EXPECT_TRUE(comes_to_its_end(all));

    const std::set<int> used = slots_in_use(all);
    const int slots = StreamK::slots(params, clusters);
    EXPECT_TRUE(slots >= 0 && slots < clusters);
    if (!used.empty()) {
      EXPECT_TRUE(*used.begin() >= 0 && *used.rbegin() < slots);
    }
    for (const auto& [tile, slices] : slices_of(all)) tiles_of_three += slices.size() >= 3;
  }
  EXPECT_GT(tiles_of_three, 1000) << "the trials should hold tiles of many clusters";
}

// A cut moves by less than least_k, so a range grows by less than that at either end.
TEST(StreamK, NoWorkerHasMuchMoreThanItsPart) {
  Dice dice(5);
  for (int trial = 0; trial < 2000; ++trial) {
    const StreamK::Params params = random_stream_k(dice);
    const int clusters = StreamK::clusters(params, dice.from(1, 140));
    const int count = params.tiles.count(), k_blocks = params.tiles.k_blocks;
    int most = 0;
    for (const Walk& walk : walks<StreamK>(params, clusters))
      most = std::max(most, k_blocks_of(walk));
    if (k_blocks < 2 * params.least_k) {
      EXPECT_EQ(most, ceil_div(count, clusters) * k_blocks) << "tiles too short to be cut";
    } else if (const int rest = count % clusters * k_blocks; rest >= clusters * params.least_k) {
      EXPECT_LE(most, ceil_div(count * k_blocks, clusters) + 2 * (params.least_k - 1));
    } else {
      EXPECT_LE(most, count / clusters * k_blocks + 4 * params.least_k) << "a rest of little work";
    }
  }
}

// 8192x8192x8192 in tiles of 128x256x64 on 132 clusters: 15.5 waves, 16 without cuts.
TEST(StreamK, TheLastWaveIsShared) {
  const StreamK::Params params{{{64, 32}, 1, 128, {Raster::Along::m, 8}}};
  const int clusters = StreamK::clusters(params, 132);
  ASSERT_EQ(clusters, 132);
  std::size_t most_slices = 0;
  int most = 0;
  const auto all = walks<StreamK>(params, clusters);
  for (const Walk& walk : all) most = std::max(most, k_blocks_of(walk));
  for (const auto& [tile, slices] : slices_of(all))
    most_slices = std::max(most_slices, slices.size());
  EXPECT_LE(most, ceil_div(64 * 32 * 128, 132) + 6);
  EXPECT_LE(most_slices, 2u) << "with a full wave a range is longer than a tile";
}

// 512x512x16384 in tiles of 128x256x64: 8 tiles, 256 k-blocks each, over all clusters.
TEST(StreamK, FewLongTilesSpanManyWorkers) {
  const StreamK::Params params{{{4, 2}, 1, 256, {}}};
  const auto all = walks<StreamK>(params, StreamK::clusters(params, 132));
  ASSERT_EQ(all.size(), 132u);
  for (const Walk& walk : all) EXPECT_LE(k_blocks_of(walk), 16 + 6);
  for (const auto& [tile, slices] : slices_of(all)) EXPECT_GE(slices.size(), 16u);
  EXPECT_TRUE(comes_to_its_end(all));
}

TEST(StreamK, LongerLeastSharesNeedFewerWorkers) {
  StreamK::Params params{{{1, 1}, 1, 64, {}}};
  EXPECT_EQ(StreamK::clusters(params, 132), 16);
  EXPECT_EQ(StreamK::slots(params, 16), 15);
  params.least_k = 16;
  EXPECT_EQ(StreamK::clusters(params, 132), 4);
  params.least_k = 33;
  EXPECT_EQ(StreamK::clusters(params, 132), 1);
  EXPECT_EQ(StreamK::slots(params, 1), 0);
}

TEST(StreamK, FullWavesAreNotCut) {
  for (const Walk& walk : walks<StreamK>({{{12, 11}, 2, 64, {}}}, 132)) {
    ASSERT_EQ(walk.size(), 2u);
    for (const WorkTile& work : walk) EXPECT_EQ(work.slices, 1);
  }
}

TEST(StreamK, NothingToDoNeedsNoWorkers) {
  const StreamK::Params params{{{0, 4}, 1, 8, {}}};
  EXPECT_EQ(StreamK::clusters(params, 132), 0);
  EXPECT_EQ(StreamK::slots(params, 0), 0);
}

}  // namespace
