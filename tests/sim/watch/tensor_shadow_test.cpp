// Rectangles of tensor memory: which meet, and what is remembered of them.
#include "sim/watch/device/tensor_shadow.hpp"

#include <gtest/gtest.h>

namespace aisp::sim::watch {
namespace {

TensorCells cells(std::uint32_t column, std::uint32_t columns, std::uint32_t first_lane,
                  std::uint32_t lanes_there) {
  TensorCells made{.column = column, .columns = columns};
  for (std::uint32_t lane = first_lane; lane < first_lane + lanes_there; ++lane)
    made.add_lane(lane);
  return made;
}

TensorRecord use(const TensorCells& where, std::uint32_t warp, Channel channel, bool wrote) {
  return {.cells = where, .actor = actor_of(warp, channel), .time = 1, .wrote = wrote};
}

TEST(TensorCells, MeetWhereColumnsAndLanesDo) {
  const TensorCells quarter = cells(32, 8, 32, 32);
  EXPECT_TRUE(overlap(quarter, cells(0, 33, 0, 128)));
  EXPECT_FALSE(overlap(quarter, cells(0, 32, 0, 128))) << "columns end before";
  EXPECT_FALSE(overlap(quarter, cells(0, 512, 64, 64))) << "other lanes";
  EXPECT_TRUE(holds(cells(0, 64, 32, 64), quarter));
  EXPECT_FALSE(holds(cells(0, 64, 48, 64), quarter));
  EXPECT_FALSE(holds(cells(33, 64, 0, 128), quarter));
}

TEST(TensorCells, AreNamed) {
  EXPECT_EQ(cells_text(cells(0, 32, 0, 128)), "columns 0-31, lanes 0-127");
  EXPECT_EQ(cells_text(cells(7, 1, 31, 1)), "column 7, lane 31");
  TensorCells spread = cells(0, 2, 0, 16);
  spread.lanes[1] = 0xffff;
  EXPECT_EQ(cells_text(spread), "columns 0-1, lanes 0-47 (32 of them)");
}

TEST(TensorShadow, AWriteTakesThePlaceOfWhatItCovers) {
  TensorShadow shadow;
  shadow.enter(use(cells(0, 8, 0, 32), 0, Channel::tensor_load, false));
  shadow.enter(use(cells(0, 16, 32, 32), 1, Channel::tensor_load, false));
  ASSERT_EQ(shadow.records().size(), 2u);
  shadow.enter(use(cells(0, 8, 0, 128), 2, Channel::product, true));
  EXPECT_EQ(shadow.records().size(), 2u) << "of the second read eight columns are left";
  shadow.enter(use(cells(0, 16, 0, 128), 2, Channel::product, true));
  EXPECT_EQ(shadow.records().size(), 1u);
}

TEST(TensorShadow, AReadTakesThePlaceOfTheSameThreadsReads) {
  TensorShadow shadow;
  shadow.enter(use(cells(0, 8, 0, 32), 0, Channel::tensor_load, false));
  shadow.enter(use(cells(0, 8, 0, 32), 0, Channel::tensor_load, false));
  EXPECT_EQ(shadow.records().size(), 1u);
  shadow.enter(use(cells(0, 8, 0, 32), 1, Channel::tensor_load, false));
  EXPECT_EQ(shadow.records().size(), 2u);
}

TEST(TensorShadow, ForgetsColumns) {
  TensorShadow shadow;
  shadow.enter(use(cells(56, 16, 0, 96), 0, Channel::tensor_store, true));
  shadow.forget({72, 8});
  EXPECT_EQ(shadow.records().size(), 1u);
  shadow.forget({32, 32});
  EXPECT_TRUE(shadow.records().empty());
}

}  // namespace
}  // namespace aisp::sim::watch
