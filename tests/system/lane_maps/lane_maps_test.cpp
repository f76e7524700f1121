// The tile library and the simulator each state for themselves which lane holds which element of a
// matrix operand. Here the two statements meet.
#include <gtest/gtest.h>

#include "sim/exec/matrix/maps.hpp"
#include "tile/atom/ldmatrix.hpp"
#include "tile/atom/mma_sm80.hpp"
#include "tile/atom/mma_volta.hpp"
#include "tile/atom/wgmma.hpp"

using namespace aisp;

namespace {

using sim::MatrixElement;
using tile::Cell;
using tile::Element;

// The simulator names an element of B (k, n), the tile library (n, k).
Cell cell(MatrixElement at) { return {at.row, at.column}; }
Cell transposed(MatrixElement at) { return {at.column, at.row}; }

template <class Atom>
class MmaSyncMaps : public testing::Test {};
using Atoms = testing::Types<tile::MmaSync<Element::bf16>, tile::MmaSync<Element::bf16, 8>,
                             tile::MmaSync<Element::f16>, tile::MmaSync<Element::f16, 8>,
                             tile::MmaSync<Element::tf32>, tile::MmaSync<Element::s8>,
                             tile::MmaSync<Element::e4m3>, tile::MmaSync<Element::e5m2>>;
TYPED_TEST_SUITE(MmaSyncMaps, Atoms);

TYPED_TEST(MmaSyncMaps, AreThoseOfTheSimulator) {
  constexpr int per = TypeParam::per_register;
  for (int lane = 0; lane < 32; ++lane) {
    for (int at = 0; at < per; ++at) {
      for (int reg = 0; reg < TypeParam::a_registers; ++reg)
        EXPECT_TRUE(TypeParam::a(lane, reg, at) == cell(sim::mma_a(lane, reg, at, per)));
      for (int reg = 0; reg < TypeParam::b_registers; ++reg)
        EXPECT_TRUE(TypeParam::b(lane, reg, at) == transposed(sim::mma_b(lane, reg, at, per)));
    }
    for (int index = 0; index < TypeParam::accumulators; ++index)
      EXPECT_TRUE(TypeParam::accumulator(lane, index) == cell(sim::mma_c(lane, index)));
  }
}

// The atom numbers the rows and columns of the four products as quarters of 16x16.
TEST(MmaVoltaMaps, AreThoseOfTheSimulatorInEachQuarter) {
  using Atom = tile::MmaVolta;
  for (int lane = 0; lane < 32; ++lane) {
    const int pair = sim::quad_pair(lane);
    EXPECT_EQ(Atom::pair_of(lane), pair);
    for (int i = 0; i < 4; ++i) {
      const MatrixElement a = sim::quad_a(lane, i, true), b = sim::quad_b(lane, i, false);
      EXPECT_TRUE(Atom::a(lane, i / 2, i % 2) == (Cell{Atom::row_of(a.row, pair), a.column}));
      EXPECT_TRUE(Atom::b(lane, i / 2, i % 2) == (Cell{Atom::column_of(b.column, pair), b.row}));
    }
    for (int i = 0; i < Atom::accumulators; ++i) {
      const MatrixElement sum = sim::quad_c(lane, i, false);
      EXPECT_TRUE(Atom::accumulator(lane, i) ==
                  (Cell{Atom::row_of(sum.row, pair), Atom::column_of(sum.column, pair)}));
    }
  }
}

template <class Atom>
void expect_wgmma_maps() {
  constexpr int per = Atom::per_register;
  for (int thread = 0; thread < 128; ++thread) {
    const int lane = thread % 32, first_row = thread / 32 * 16;
    for (int index = 0; index < Atom::accumulators; ++index) {
      const MatrixElement sum = sim::mma_c(lane, index);
      EXPECT_TRUE(Atom::accumulator(thread, index) == (Cell{first_row + sum.row, sum.column}));
    }
    for (int value = 0; value < Atom::a_registers * per; ++value) {
      const MatrixElement a = sim::mma_a(lane, value / per, value % per, per);
      EXPECT_TRUE(Atom::a(thread, value / per, value % per) == (Cell{first_row + a.row, a.column}));
    }
  }
}

TEST(WgmmaMaps, AreThoseOfTheSimulator) {
  expect_wgmma_maps<tile::Wgmma<Element::bf16, 256>>();
  expect_wgmma_maps<tile::Wgmma<Element::f16, 8>>();
  expect_wgmma_maps<tile::Wgmma<Element::e4m3, 24>>();
  expect_wgmma_maps<tile::Wgmma<Element::tf32, 64>>();
}

// A lane's two halves, from the lines whose addresses the lanes of that matrix gave.
TEST(LdmatrixMaps, AreThoseOfTheSimulator) {
  for (int lane = 0; lane < 32; ++lane)
    for (int reg = 0; reg < 4; ++reg)
      for (int half = 0; half < 2; ++half) {
        const Cell word = tile::LdMatrixX4::word(lane, reg);
        const Cell want{word.row, 2 * word.column + half};
        const MatrixElement plain = sim::eight_by_eight(lane, half, false);
        const Cell line = tile::LdMatrixX4::k_major(8 * reg + plain.row);
        EXPECT_TRUE(want == (Cell{line.row, 8 * line.column + plain.column}));
        const MatrixElement across = sim::eight_by_eight(lane, half, true);
        const Cell k_line = tile::LdMatrixX4::mn_major(8 * reg + across.row);
        EXPECT_TRUE(want == (Cell{8 * k_line.column + across.column, k_line.row}));
      }
}

}  // namespace
