// The lane maps of the atoms against places that the PTX manual draws, and against each other.
#include <gtest/gtest.h>

#include "tile/atom/cp_async.hpp"
#include "tile/atom/ldmatrix.hpp"
#include "tile/atom/mma_sm80.hpp"
#include "tile/atom/mma_volta.hpp"
#include "tile/atom/simt.hpp"
#include "tile/atom/wgmma.hpp"

using namespace aisp;

namespace aisp::tile {

inline void PrintTo(const Cell& cell, std::ostream* out) {
  *out << '(' << cell.row << ", " << cell.column << ')';
}

}  // namespace aisp::tile

namespace {

using tile::Cell;
using tile::Element;

template <class Atom>
class MatrixAtom : public testing::Test {};
using MatrixAtoms = testing::Types<tile::MmaSync<Element::bf16>, tile::MmaSync<Element::bf16, 8>,
                                   tile::MmaSync<Element::f16, 8>, tile::MmaSync<Element::tf32>,
                                   tile::MmaSync<Element::s8>, tile::MmaSync<Element::e5m2>>;
TYPED_TEST_SUITE(MatrixAtom, MatrixAtoms);

// One ldmatrix of 16 rows and 32 bytes gives A's registers in order, and for B those of two atoms.
TYPED_TEST(MatrixAtom, RegistersAreWhatLdmatrixGives) {
  constexpr int per = TypeParam::per_register;
  for (int lane = 0; lane < 32; ++lane) {
    for (int reg = 0; reg < TypeParam::a_registers; ++reg) {
      const Cell word = tile::LdMatrixX4::word(lane, reg);
      EXPECT_EQ(TypeParam::a(lane, reg, 0), (Cell{word.row, word.column * per}));
    }
    for (int reg = 0; reg < TypeParam::b_registers; ++reg) {
      const Cell word = tile::LdMatrixX4::word(lane, 2 * reg);
      EXPECT_EQ(TypeParam::b(lane, reg, 0), (Cell{word.row, word.column * per}));
    }
  }
}

TYPED_TEST(MatrixAtom, RegistersHoldTheWholeOperands) {
  EXPECT_EQ(TypeParam::a_registers * 4 * 32,
            TypeParam::m * TypeParam::k * bytes_of(TypeParam::element));
  EXPECT_EQ(TypeParam::b_registers * 4 * 32,
            TypeParam::n * TypeParam::k * bytes_of(TypeParam::element));
}

TEST(MmaSync, PlacesOfTheManual) {
  using Bf16 = tile::MmaSync<Element::bf16>;
  EXPECT_EQ(Bf16::a(0, 1, 1), (Cell{8, 1}));
  EXPECT_EQ(Bf16::a(31, 2, 0), (Cell{7, 14}));
  EXPECT_EQ(Bf16::b(5, 1, 0), (Cell{1, 10}));
  EXPECT_EQ(Bf16::accumulator(6, 2), (Cell{9, 4}));
  using S8 = tile::MmaSync<Element::s8>;
  EXPECT_EQ(S8::a(3, 3, 2), (Cell{8, 30}));
  EXPECT_EQ(S8::b(4, 0, 3), (Cell{1, 3}));
}

TEST(MmaSync, SaysWhichChipHasIt) {
  EXPECT_EQ((tile::MmaSync<Element::f16, 8>::first_architecture), 75);
  EXPECT_EQ((tile::MmaSync<Element::bf16, 8>::first_architecture), 80);
  EXPECT_EQ(tile::MmaSync<Element::e4m3>::first_architecture, 89);
  EXPECT_EQ(tile::MmaVolta::first_architecture, 70);
}

// The four quad pairs of Volta are the quarters: rows by p % 2, columns by p / 2.
TEST(MmaVolta, QuadPairsMultiplyWhatTheyHold) {
  for (int lane = 0; lane < 32; ++lane)
    for (int index = 0; index < 8; ++index) {
      const Cell sum = tile::MmaVolta::accumulator(lane, index);
      int a_owners = 0, b_owners = 0;
      for (int other = 0; other < 32; ++other) {
        if (tile::MmaVolta::pair_of(other) != tile::MmaVolta::pair_of(lane)) continue;
        a_owners += tile::MmaVolta::a(other, 0, 0).row == sum.row;
        b_owners += tile::MmaVolta::b(other, 0, 0).row == sum.column;
      }
      EXPECT_EQ(a_owners, 1);
      EXPECT_EQ(b_owners, 1);
    }
}

// Each lane has the rows and columns that its own sums need.
TEST(Simt, LanesNeedNobodyElse) {
  using Atom = tile::Simt<Element::f32>;
  for (int lane = 0; lane < 32; ++lane)
    for (int index = 0; index < 4; ++index) {
      EXPECT_EQ(Atom::accumulator(lane, index).row, Atom::a(lane, index / 2 * 4, 0).row);
      EXPECT_EQ(Atom::accumulator(lane, index).column, Atom::b(lane, index % 2 * 4, 0).row);
    }
}

TEST(Wgmma, WarpsStandBelowEachOther) {
  using Atom = tile::Wgmma<Element::bf16, 256>;
  EXPECT_EQ(Atom::accumulators, 128);
  EXPECT_EQ(Atom::accumulator(127, 127), (Cell{63, 255}));
  EXPECT_EQ(Atom::accumulator(32, 5), (Cell{16, 9}));
  EXPECT_EQ(Atom::a(64, 3, 1), (Cell{40, 9}));
  EXPECT_EQ((tile::Wgmma<Element::e4m3, 8>::k), 32);
  EXPECT_TRUE(tile::has_fragments(Atom::accumulator_layout()));
}

TEST(CpAsync16, FillsUpWithZeros) {
  EXPECT_EQ(tile::CpAsync16::valid(0, 100), 16);
  EXPECT_EQ(tile::CpAsync16::valid(96, 100), 4);
  EXPECT_EQ(tile::CpAsync16::valid(112, 100), 0);
  EXPECT_TRUE(tile::CpAsync16::admits(4096, 32));
  EXPECT_FALSE(tile::CpAsync16::admits(4096, 34));
  EXPECT_FALSE(tile::CpAsync16::admits(4098, 32));
}

}  // namespace
