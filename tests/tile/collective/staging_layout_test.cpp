// The offsets at which a warp stages its accumulators, against the layouts that they follow from,
// in every subtile of the GEMM and attention kernels.
#include "tile/collective/epilogue/staging_layout.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tile/collective/gemm_config_sm90.hpp"
#include "tile/layout/banks.hpp"

using namespace aisp;

namespace {

using tile::Element;
using tile::Major;
using tile::OperandTile;
using tile::Swizzled;

template <OperandTile subtile>
void expect_stmatrix() {
  static_assert(bytes_of(subtile.element) == 2);
  const Swizzled layout = stmatrix_layout(subtile);
  std::set<int> written;
  for (int column = 0; column < subtile.k; column += 16)
    for (int row = 0; row < subtile.rows; row += 16) {
      int offset[32];
      for (int lane = 0; lane < 32; ++lane) {
        offset[lane] = tile::stmatrix_offset<subtile>(lane, row, column);
        EXPECT_EQ(offset[lane], layout(lane, row / 16 + column / 16 * (subtile.rows / 16)))
            << "lane " << lane << ", row " << row << ", column " << column;
        EXPECT_TRUE(written.insert(offset[lane]).second);
        EXPECT_EQ(offset[lane] % 16, 0);
      }
      EXPECT_EQ(tile::bank_access(offset, 16).conflicts(), 0);
    }
  EXPECT_EQ(16 * static_cast<int>(written.size()), subtile.bytes());
}

template <OperandTile subtile>
void expect_fragments() {
  const Swizzled layout = fragment_layout(subtile);
  std::set<int> written;
  for (int column = 0; column < subtile.k; column += 8)
    for (int row = 0; row < subtile.rows; row += 16)
      for (int lane = 0; lane < 32; ++lane)
        for (int index = 0; index < 4; ++index) {
          const int offset = tile::fragment_offset<subtile>(lane, index, row, column);
          const int block = row / 16 + column / 8 * (subtile.rows / 16);
          EXPECT_EQ(offset, layout(lane, index + 4 * block))
              << "lane " << lane << ", accumulator " << index << ", row " << row << ", column "
              << column;
          EXPECT_TRUE(written.insert(offset).second);
        }
  EXPECT_EQ(bytes_of(subtile.element) * static_cast<int>(written.size()), subtile.bytes());
}

// The subtile at column `first` of a tile of `columns`.
constexpr OperandTile subtile_of(Element out, Major major, int columns, int first = 0) {
  return tile::Sm90Config{.out = out, .out_major = major, .tile_n = columns}.subtile(first);
}

TEST(StagingLayout, IsWhereStmatrixWrites) {
  expect_stmatrix<subtile_of(Element::bf16, Major::k, 256)>();
  expect_stmatrix<subtile_of(Element::bf16, Major::k, 96, 64)>();
  expect_stmatrix<subtile_of(Element::f16, Major::k, 16)>();
  expect_stmatrix<subtile_of(Element::bf16, Major::mn, 256)>();
  expect_stmatrix<subtile_of(Element::f16, Major::mn, 16)>();
  expect_stmatrix<OperandTile{.rows = 32, .k = 64}>();  // of a warp of Blackwell
}

TEST(StagingLayout, IsWhereFragmentsAreWritten) {
  expect_fragments<subtile_of(Element::bf16, Major::k, 8)>();
  expect_fragments<subtile_of(Element::f32, Major::k, 256)>();
  expect_fragments<subtile_of(Element::f32, Major::k, 8)>();
  expect_fragments<subtile_of(Element::e4m3, Major::k, 256)>();
  expect_fragments<subtile_of(Element::f32, Major::mn, 128)>();  // two panels
  expect_fragments<subtile_of(Element::e4m3, Major::mn, 128)>();
  expect_fragments<OperandTile{.element = Element::f32, .rows = 32, .k = 32}>();
}

// A warp's 16 rows begin so many lines into a panel that the permutation is the same.
TEST(StagingLayout, RepeatsEverySixteenRows) {
  constexpr OperandTile subtile{.rows = 64, .k = 64};
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_EQ(tile::stmatrix_offset<subtile>(lane, 16, 0),
              tile::stmatrix_offset<subtile>(lane, 0, 0) + 16 * width_of(subtile.swizzle));
}

}  // namespace
