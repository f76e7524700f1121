// The drawings, byte for byte where they are small.
#include "tile/layout/print.hpp"

#include <gtest/gtest.h>

namespace aisp::tile {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(Print, AMatrixOfOffsets) {
  EXPECT_EQ(to_text(grid_of("(2,(2,2)):(2,(1,8))"_layout)),
            "  |  0  1  2  3\n"
            "--+------------\n"
            "0 |  0  1  8  9\n"
            "1 |  2  3 10 11\n");
}

TEST(Print, OneModeIsARowAndThreeAreAMatrix) {
  EXPECT_EQ(to_text(grid_of("3:5"_layout)), "  |  0  1  2\n--+---------\n0 |  0  5 10\n");
  const Grid grid = grid_of("(2,3,4):(1,2,6)"_layout);
  EXPECT_EQ(grid.rows, 2);
  EXPECT_EQ(grid.columns, 12);
  EXPECT_EQ(grid.at(1, 11).label, "23");
}

TEST(Print, SwizzledOffsets) {
  const Grid grid = grid_of("Sw<1,0,1>o(2,2):(2,1)"_swizzled);
  EXPECT_EQ(grid.at(1, 0).label, "3");
  EXPECT_EQ(grid.at(1, 1).label, "2");
}

TEST(Print, OwnersOfATile) {
  // 4 threads with 2 values each over a 2x4 tile, row by row
  const Grid grid = owners_of("((2,2),2):((4,1),2)"_layout, {2, 4});
  EXPECT_EQ(to_text(grid),
            "  |    0    1    2    3\n"
            "--+--------------------\n"
            "0 | T0V0 T0V1 T1V0 T1V1\n"
            "1 | T2V0 T2V1 T3V0 T3V1\n");
}

TEST(Print, SharedAndUnownedCells) {
  const Grid grid = owners_of("(2,2):(0,1)"_layout, {2, 2});
  EXPECT_EQ(grid.at(0, 0).label, "T0V0+");
  EXPECT_EQ(grid.at(0, 1).label, ".");
  EXPECT_THROW(owners_of("(2,4):(0,1)"_layout, Shape{1, 2}), Refused);
  EXPECT_THROW(owners_of("8:1"_layout, Shape{4, 2}), Refused);
}

TEST(Print, SvgHasACellPerElementAndIsDeterministic) {
  const Grid grid = grid_of("(4,8):(8,1)"_layout);
  const std::string svg = to_svg(grid, "Sw<1,0,1> & more");
  EXPECT_EQ(svg, to_svg(grid, "Sw<1,0,1> & more"));
  EXPECT_EQ(count(svg, "<rect "), 1 + 32);
  EXPECT_EQ(count(svg, "<text "), 1 + 4 + 8 + 32);
  EXPECT_EQ(count(svg, "<text "), count(svg, "</text>"));
  EXPECT_NE(svg.find("Sw&lt;1,0,1&gt; &amp; more"), std::string::npos);
  EXPECT_NE(svg.find("width=\"440\" height=\"152\""), std::string::npos);
}

}  // namespace
}  // namespace aisp::tile
