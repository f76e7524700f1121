#include <gtest/gtest.h>

#include "chapters/ch14/tma_configs/config.hpp"
#include "chapters/ch14/tma_configs/measured_h200.hpp"
#include "tests/chapters/reference_support.hpp"
#include "tile/device/launch/tma_table.hpp"

using namespace aisp;

namespace {

using namespace ch14;
using namespace reference_support;

using Factors = std::vector<std::int64_t>;

TEST(TmaConfigs, CountsAreSpreadEvenly) {
  EXPECT_EQ(spread(64, 2), (Factors{8, 8}));
  EXPECT_EQ(spread(64, 4), (Factors{4, 4, 2, 2}));
  EXPECT_EQ(spread(12, 1), (Factors{12}));
  EXPECT_EQ(spread(1, 3), (Factors{1, 1, 1}));
  EXPECT_EQ(spread(13, 2), (Factors{13, 1}));
  for (std::int64_t count = 1; count < 500; ++count)
    for (int factors = 1; factors < 5; ++factors) {
      std::int64_t product = 1;
      for (const auto factor : spread(count, factors)) product *= factor;
      EXPECT_EQ(product, count);
    }
}

CopyConfig usual() { return {.width = 256, .rows = 32, .stages = 4, .blocks = 2}; }

TEST(TmaConfigs, RefusesWithTheNumbers) {
  const CopyShape shape{.line = 8192, .lines = 100};
  const auto why = [&](auto change) {
    CopyConfig config = usual();
    change(config);
    return why_not(config, shape);
  };
  EXPECT_EQ(why([](CopyConfig&) {}), "");
  EXPECT_EQ(why([](CopyConfig& c) { c.width = 24; }),
            "a box is a multiple of 16 bytes wide, at most 1024: got 24");
  EXPECT_NE(why([](CopyConfig& c) { c.width = 1040; }), "");
  EXPECT_EQ(why([](CopyConfig& c) { c.rows = 257; }), "a box has 1 to 256 rows: got 257");
  EXPECT_EQ(why([](CopyConfig& c) { c.swizzle = 128; }),
            "a swizzle of 128 bytes is for boxes as wide: got 256");
  EXPECT_NE(why([](CopyConfig& c) { c.swizzle = 48; }), "");
  EXPECT_EQ(why([](CopyConfig& c) { c.rank = 6; }), "rank is 1 to 5: got 6");
  EXPECT_EQ(why([](CopyConfig& c) { c.rank = 1; }),
            "a tensor of one index has boxes of one row: got 32");
  EXPECT_EQ(why([](CopyConfig& c) {
              c.mode = BoxMode::im2col;
              c.rank = 2;
            }),
            "rank is 3 to 5: got 2");
  EXPECT_NE(why([](CopyConfig& c) { c.stages = 65; }), "");
  EXPECT_NE(why([](CopyConfig& c) { c.blocks = 33; }), "");
  // 233472 bytes for two blocks, less 1024 and 512 each.
  EXPECT_EQ(why([](CopyConfig& c) { c.stages = 14; }), "");
  EXPECT_EQ(why([](CopyConfig& c) { c.stages = 15; }),
            "15 stages of 8192 bytes are more than the 115200 bytes that each of 2 blocks has; 14 "
            "fit");
  EXPECT_EQ(why_not(usual(), {.line = 40, .lines = 1}),
            "a line is a multiple of 16 bytes, at most 17179869184: got 40");
  EXPECT_NE(why_not(usual(), {.line = 16, .lines = (std::int64_t{1} << 30) + 1}), "");
}

TEST(TmaConfigs, SlotsBeginWhereASwizzleDoes) {
  EXPECT_EQ((CopyConfig{.width = 16, .rows = 3}).slot_bytes(), 128);
  EXPECT_EQ((CopyConfig{.width = 128, .rows = 9, .swizzle = 128}).slot_bytes(), 2048);
  EXPECT_EQ((CopyConfig{.width = 32, .rows = 9, .swizzle = 32}).slot_bytes(), 512);
}

TEST(TmaConfigs, StagesFollowFromBytesInFlight) {
  EXPECT_EQ(stages_for(usual(), 64 * 1024), 4);
  EXPECT_EQ(stages_for(usual(), 1), 1);
  EXPECT_EQ(stages_for(usual(), 1 << 20), 14) << "as many as shared memory has room for";
  EXPECT_EQ(stages_for({.width = 16, .rows = 1, .blocks = 1}, 64 * 1024), 64);
}

TEST(TmaConfigs, ASweepFillsInWhatFollows) {
  const lab::Target& target = target_named("ch14:tma_configs");
  const auto completed = [&](std::vector<std::int64_t> dims, std::vector<int> given) {
    lab::Size size{"tile", std::move(dims)};
    std::vector<bool> flags(config_axes);
    for (const int axis : given) flags[static_cast<std::size_t>(axis)] = true;
    target.complete(size, flags);
    return size.dims;
  };
  EXPECT_EQ(completed({256, 32, 128, 9, 2, 2, 64, 64}, {box_width})[box_swizzle], no_swizzle);
  EXPECT_EQ(completed({256, 32, 64, 9, 2, 2, 64, 64}, {box_swizzle})[box_width], 64);
  EXPECT_EQ(completed({256, 32, 16, 9, 2, 2, 64, 64}, {box_swizzle})[box_width], 256);
  EXPECT_EQ(completed({256, 32, 16, 9, 2, 1, 64, 64}, {map_rank})[box_rows], 1);
  EXPECT_EQ(completed({256, 32, 16, 9, 2, 2, 64, 64}, {box_width})[ring_stages], 4);
  EXPECT_EQ(completed({256, 32, 16, 9, 2, 2, 64, 64}, {ring_stages})[ring_stages], 9);
}

// What from_table reads where a device has no table of its own.
TEST(TmaConfigs, TheMeasuredTableHasOnlyWhatIsTaken) {
  const auto table = tile::device::parse_tma_table(measured_h200, "measured_h200.hpp");
  ASSERT_NE(table.best({.mode = "tile"}), nullptr);
  for (const auto& cell : table.cells)
    EXPECT_EQ(why_not({.mode = cell.mode == "im2col" ? BoxMode::im2col : BoxMode::tile,
                       .rank = cell.rank,
                       .width = cell.width,
                       .rows = cell.rows,
                       .swizzle = cell.swizzle,
                       .stages = cell.stages,
                       .blocks = cell.blocks},
                      {.line = 8192, .lines = 32768}),
              "");
}

}  // namespace
