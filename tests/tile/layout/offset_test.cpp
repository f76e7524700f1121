// offset_at says what the layout itself says.
#include "tile/layout/offset.hpp"

#include <gtest/gtest.h>

#include "tile/layout/parse.hpp"

namespace aisp::tile {
namespace {

constexpr Layout nested = "(4,(2,3),(2,2)):(6,(3,24),(1,100))"_layout;
constexpr Swizzled rows = "Sw<3,3,3>o64o(8,(16,4)):(64,(1,16))"_swizzled;

static_assert(offset_at<nested>(95) == nested(95));
static_assert(offset_at<nested>(3, 5, 2) == nested(3, 5, 2));
static_assert(offset_at<flatten(nested)>(3, 1, 2, 0, 1) == nested({3, {1, 2}, {0, 1}}));
static_assert(offset_at<Layout{7, 3}>(6) == 18 && offset_at<Layout{}>(0) == 0);

TEST(OffsetAt, AgreesWithTheLayout) {
  for (int index = 0; index < size(nested); ++index) {
    EXPECT_EQ(offset_at<nested>(index), nested(index));
    const Coord at = mode_coord_of(nested.shape, index);
    EXPECT_EQ(offset_at<nested>(at.leaf[0], at.leaf[1], at.leaf[2]), nested(index));
  }
}

TEST(OffsetAt, AgreesWithTheSwizzledLayout) {
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 64; ++column)
      EXPECT_EQ(offset_at<rows>(row, column), rows(row, column));
}

}  // namespace
}  // namespace aisp::tile
