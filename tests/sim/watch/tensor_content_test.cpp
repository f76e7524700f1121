// Which results of products are undefined because an operand is, cell by cell.
#include "sim/watch/device/tensor_content.hpp"

#include <gtest/gtest.h>

#include "sim/watch/device/tensor_shadow.hpp"

namespace aisp::sim::watch {
namespace {

TensorCells cells(std::uint32_t column, std::uint32_t columns, std::uint32_t first_lane,
                  std::uint32_t lanes_there) {
  TensorCells made{.column = column, .columns = columns};
  for (std::uint32_t lane = first_lane; lane < first_lane + lanes_there; ++lane)
    made.add_lane(lane);
  return made;
}

constexpr std::uint32_t d_columns = 96;

// Products into columns 0-95 of all lanes, each at a place of its own in the program.
class Content : public testing::Test {
 protected:
  void feed(const char* operand, const TensorCells& where, TensorFeed feed,
            std::uint32_t first_result = 0) {
    const TensorUse use{
        .cells = where, .operand = operand, .feed = feed, .first_result = first_result};
    content.feed(use, {.operand = operand, .pc = pc});
  }
  void compute(bool adds = false, std::uint32_t column = 0) {
    const TensorUse use{.cells = cells(column, d_columns, 0, 128),
                        .operand = "D",
                        .feed = adds ? TensorFeed::cell : TensorFeed::none};
    content.compute(use, {.operand = "D", .pc = pc});
    ++pc;
  }
  // "A in columns 128-135, lanes 32-127", or "defined".
  std::string why(const TensorCells& where) const {
    const UndefinedOperand* const by = content.undefined(where);
    return by == nullptr ? "defined" : by->operand + (" in " + cells_text(by->cells));
  }
  TensorContent content;
  std::uint32_t pc = 1;
};

TEST_F(Content, WhatIsNotComputedIsNotReported) {
  EXPECT_EQ(why(cells(0, 512, 0, 128)), "defined") << "a load of what was never written";
  compute();
  EXPECT_EQ(why(cells(0, 512, 0, 128)), "defined");
}

TEST_F(Content, ALaneOfAFeedsItsLane) {
  content.define(cells(128, 8, 0, 32));
  feed("A", cells(128, 8, 0, 128), TensorFeed::lane);
  compute();
  EXPECT_EQ(why(cells(0, d_columns, 0, 32)), "defined");
  EXPECT_EQ(why(cells(95, 1, 32, 1)), "A in columns 128-135, lanes 32-127");
  EXPECT_EQ(why(cells(96, 32, 0, 128)), "defined") << "beside D";
}

TEST_F(Content, ASumKeepsWhatWasUndefined) {
  feed("A", cells(128, 8, 64, 1), TensorFeed::lane);
  compute();
  compute(true);
  EXPECT_EQ(why(cells(0, 1, 64, 1)), "A in columns 128-135, lane 64");
  EXPECT_EQ(why(cells(0, 1, 65, 1)), "defined");
  compute();
  EXPECT_EQ(why(cells(0, d_columns, 0, 128)), "defined") << "a new sum";
}

TEST_F(Content, ASumOfNothingIsUndefinedCellByCell) {
  content.define(cells(0, 64, 0, 128));
  compute(true);
  EXPECT_EQ(why(cells(0, 64, 0, 128)), "defined");
  EXPECT_EQ(why(cells(64, 1, 5, 1)), "D in columns 64-95, lanes 0-127");
}

TEST_F(Content, AnUndefinedResultIsAnUndefinedOperand) {
  feed("A", cells(128, 8, 0, 16), TensorFeed::lane);
  compute();
  feed("A", cells(0, 8, 0, 128), TensorFeed::lane);
  compute(false, 256);
  EXPECT_EQ(why(cells(256, 1, 15, 1)), "A in columns 128-135, lanes 0-15");
  EXPECT_EQ(why(cells(256, 1, 16, 1)), "defined");
}

TEST_F(Content, ScalesOfBFeedColumnsOfTheirQuarter) {
  content.define(cells(128, 2, 0, 128));  // of columns 0-63
  content.define(cells(130, 1, 0, 32));   // of columns 64-95, for the first quarter
  content.define(cells(130, 1, 32, 8));   // of columns 64-71, for the second
  feed("the scales of B", cells(128, 2, 0, 128), TensorFeed::column);
  feed("the scales of B", cells(130, 1, 0, 128), TensorFeed::column, 64);
  compute();
  EXPECT_EQ(why(cells(0, 64, 0, 128)), "defined");
  EXPECT_EQ(why(cells(0, d_columns, 0, 32)), "defined");
  EXPECT_EQ(why(cells(64, 8, 32, 32)), "defined");
  EXPECT_EQ(why(cells(72, 1, 63, 1)), "the scales of B in column 130, lanes 40-127");
  EXPECT_NE(why(cells(64, 1, 64, 1)), "defined");
}

TEST_F(Content, MetadataFeedsTwoRows) {
  content.define(cells(128, 1, 0, 128));
  content.forget({128, 32});
  content.define(cells(128, 1, 0, 20));
  content.define(cells(128, 1, 21, 107));
  feed("the metadata", cells(128, 1, 0, 128), TensorFeed::two_rows);
  compute();
  EXPECT_NE(why(cells(0, 1, 20, 1)), "defined");
  EXPECT_NE(why(cells(0, 1, 28, 1)), "defined");
  EXPECT_EQ(why(cells(0, d_columns, 0, 20)), "defined");
  EXPECT_EQ(why(cells(0, d_columns, 21, 7)), "defined");
  EXPECT_EQ(why(cells(0, d_columns, 29, 99)), "defined");
}

TEST_F(Content, AStoreDefines) {
  feed("A", cells(128, 8, 0, 128), TensorFeed::lane);
  compute();
  content.define(cells(0, 8, 0, 32));
  EXPECT_EQ(why(cells(0, 8, 0, 32)), "defined");
  EXPECT_NE(why(cells(8, 1, 0, 32)), "defined");
}

TEST_F(Content, ColumnsThatWereAllocatedAgainAreUnwritten) {
  content.define(cells(128, 8, 0, 128));
  content.forget({128, 32});
  feed("A", cells(128, 8, 0, 128), TensorFeed::lane);
  compute();
  EXPECT_EQ(why(cells(0, 1, 0, 1)), "A in columns 128-135, lanes 0-127");
}

TEST_F(Content, AShiftMovesLanesWithinTheirQuarter) {
  content.define(cells(128, 8, 1, 32));  // lanes 1-32
  content.shift_down(cells(128, 8, 0, 128));
  feed("A", cells(128, 8, 0, 128), TensorFeed::lane);
  compute();
  EXPECT_EQ(why(cells(0, 1, 0, 32)), "defined");
  EXPECT_NE(why(cells(0, 1, 32, 1)), "defined");
}

}  // namespace
}  // namespace aisp::sim::watch
