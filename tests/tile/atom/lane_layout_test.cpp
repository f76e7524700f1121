// The thread-value layouts of the atoms: against the lane maps by enumeration, against the layouts
// that CUTLASS publishes for the same instructions, and what is_map_of() refuses.
#include "tile/atom/lane_layout.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tile/atom/block_scale.hpp"
#include "tile/atom/lane_proof.hpp"
#include "tile/atom/ldmatrix.hpp"
#include "tile/atom/mma_sm80.hpp"
#include "tile/atom/mma_volta.hpp"
#include "tile/atom/simt.hpp"
#include "tile/atom/tcgen05.hpp"
#include "tile/atom/tmem_copy.hpp"
#include "tile/atom/wgmma.hpp"
#include "tile/layout/text.hpp"

using namespace aisp;

namespace {

using tile::Cell;
using tile::Element;
using tile::LaneLayout;
using tile::Layout;

// Every place of the layout is that of the map, and every element has so many owners.
template <class Map>
void expect_map(const LaneLayout& layout, Map map) {
  const int lanes = size(tile::mode(layout.layout, 0)), values = size(tile::mode(layout.layout, 1));
  std::vector<int> owners(static_cast<std::size_t>(layout.rows * layout.columns));
  for (int lane = 0; lane < lanes; ++lane)
    for (int value = 0; value < values; ++value) {
      const int index = layout.layout(lane, value);
      const Cell cell = map(lane, value);
      ASSERT_EQ(cell.row, index % layout.rows) << "lane " << lane << ", value " << value;
      ASSERT_EQ(cell.column, index / layout.rows) << "lane " << lane << ", value " << value;
      ++owners.at(static_cast<std::size_t>(index));
    }
  for (int count : owners) EXPECT_EQ(count, lanes * values / (layout.rows * layout.columns));
  EXPECT_TRUE(covers_evenly(layout));
  EXPECT_TRUE(is_map_of(layout, map));
}

template <class Atom>
void expect_atom() {
  constexpr int per = Atom::per_register;
  EXPECT_EQ(size(tile::mode(Atom::a_layout().layout, 0)), Atom::lanes);
  EXPECT_EQ(size(tile::mode(Atom::a_layout().layout, 1)), Atom::a_registers * per);
  EXPECT_EQ(size(tile::mode(Atom::accumulator_layout().layout, 1)), Atom::accumulators);
  expect_map(Atom::accumulator_layout(),
             [](int lane, int i) { return Atom::accumulator(lane, i); });
  expect_map(Atom::a_layout(), [](int lane, int i) { return Atom::a(lane, i / per, i % per); });
  if constexpr (requires { Atom::b_layout(); })
    expect_map(Atom::b_layout(), [](int lane, int i) { return Atom::b(lane, i / per, i % per); });
}

TEST(LaneLayout, IsTheMapOfEveryAtom) {
  expect_atom<tile::MmaSync<Element::bf16>>();
  expect_atom<tile::MmaSync<Element::f16, 8>>();
  expect_atom<tile::MmaSync<Element::tf32>>();
  expect_atom<tile::MmaSync<Element::s8>>();
  expect_atom<tile::MmaSync<Element::e4m3>>();
  expect_atom<tile::MmaVolta>();
  expect_atom<tile::Simt<Element::f32>>();
  expect_atom<tile::Simt<Element::bf16>>();
  expect_atom<tile::Simt<Element::s8>>();
  expect_atom<tile::Wgmma<Element::bf16, 256>>();
  expect_atom<tile::Wgmma<Element::e4m3, 24>>();
  expect_atom<tile::Wgmma<Element::tf32, 8>>();
  expect_map(tile::quad_accumulators(256), tile::wgmma_warp_accumulator);
}

TEST(LaneLayout, IsTheMapOfLdmatrix) {
  using tile::LdMatrixX4;
  const auto no_value = [](auto map) { return [map](int lane, int) { return map(lane); }; };
  expect_map(LdMatrixX4::k_major_layout(), no_value(LdMatrixX4::k_major));
  expect_map(LdMatrixX4::mn_major_layout(), no_value(LdMatrixX4::mn_major));
  expect_map(LdMatrixX4::mn_major_layout(), no_value(LdMatrixX4::k_major_pairs));
  expect_map(LdMatrixX4::k_major_layout(), no_value(LdMatrixX4::mn_major_pairs));
  expect_map(LdMatrixX4::word_layout(), LdMatrixX4::word);
}

// As in cute/atom/mma_traits_sm80.hpp, _sm90_gmma.hpp and _sm70.hpp of CUTLASS: the same function,
// however its modes are nested.
bool same_function(const Layout& a, const std::string& text) {
  const Layout b = tile::parse_layout(text);
  if (size(a) != size(b)) return false;
  for (int i = 0; i < size(a); ++i)
    if (a(i) != b(i)) return false;
  return true;
}

TEST(LaneLayout, IsWhatCutlassPublishes) {
  using Bf16 = tile::MmaSync<Element::bf16>;
  using S8 = tile::MmaSync<Element::s8>;
  EXPECT_TRUE(same_function(Bf16::accumulator_layout().layout, "((4,8),(2,2)):((32,1),(16,8))"));
  EXPECT_TRUE(same_function(Bf16::a_layout().layout, "((4,8),(2,2,2)):((32,1),(16,8,128))"));
  EXPECT_TRUE(same_function(Bf16::b_layout().layout, "((4,8),(2,2)):((16,1),(8,64))"));
  EXPECT_TRUE(same_function(S8::a_layout().layout, "((4,8),(4,2,2)):((64,1),(16,8,256))"));
  EXPECT_TRUE(same_function(S8::b_layout().layout, "((4,8),(4,2)):((32,1),(8,128))"));
  using Warpgroup = tile::Wgmma<Element::bf16, 64>;
  EXPECT_TRUE(same_function(Warpgroup::accumulator_layout().layout,
                            "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"));
  EXPECT_TRUE(
      same_function(Warpgroup::a_layout().layout, "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))"));
}

// The accumulators of one product are the A operand of the next where its elements have 16 bits.
TEST(LaneLayout, AccumulatorsBecomeAnOperand) {
  EXPECT_EQ((tile::Wgmma<Element::bf16, 16>::accumulator_layout()),
            (tile::Wgmma<Element::bf16, 64>::a_layout()));
  EXPECT_FALSE((tile::Wgmma<Element::e4m3, 32>::accumulator_layout()) ==
               (tile::Wgmma<Element::e4m3, 64>::a_layout()));
}

// tcgen05.ld of 16 lanes x 256 bits gives the fragments of mma.sync: (512, 1) is (lane, column).
TEST(LaneLayout, IsThatOfFragmentsFromTensorMemory) {
  const Layout loaded = tile::FragmentLoad<4>::layout();
  const Layout wanted = tile::quad_accumulators(32).into(512, 1);
  ASSERT_EQ(size(loaded), size(wanted));
  for (int i = 0; i < size(loaded); ++i) EXPECT_EQ(loaded(i), wanted(i));
}

template <class Atom>
void expect_tensor_memory() {
  EXPECT_TRUE(tile::is_injective(Atom::accumulator_layout()));
  EXPECT_TRUE(tile::is_offset_of(Atom::accumulator_layout(), [](int row, int column) {
    const tile::TmemCell cell = Atom::accumulator(row, column);
    return (cell.block * 128 + cell.lane) * 512 + cell.column;
  }));
}

TEST(LaneLayout, IsWhereUmmaPutsAccumulators) {
  constexpr Element bf16 = Element::bf16;
  expect_tensor_memory<tile::Tcgen05<bf16, bf16, 64, 24>>();
  expect_tensor_memory<tile::Tcgen05<bf16, bf16, 128, 256>>();
  expect_tensor_memory<tile::Tcgen05<bf16, bf16, 128, 32, 2>>();
  expect_tensor_memory<tile::Tcgen05<bf16, bf16, 256, 64, 2>>();
}

// The factors of blocks: 128 rows by 4, as cuBLASLt and CUTLASS have them.
TEST(LaneLayout, IsWhereScalesAre) {
  const tile::ScaleExtent extent{300, 1000, tile::Scaling::nv};
  const Layout layout = extent.layout();
  for (int row = 0; row < 384; ++row)
    for (int scale = 0; scale < 64; ++scale)
      ASSERT_EQ(extent.offset(row, scale), layout(row, scale)) << row << ", " << scale;
  for (int row = 0; row < 128; ++row)
    for (int scale = 0; scale < 4; ++scale)
      ASSERT_EQ(tile::scale_block()(row, scale), layout(row, scale));
}

TEST(LaneLayout, GoesIntoALargerMatrix) {
  using Atom = tile::MmaSync<Element::bf16>;
  const LaneLayout two =
      Atom::accumulator_layout().within(32, 32).with_values(4, 0, 8).with_lanes(2, 16, 0);
  EXPECT_TRUE(covers_once(two));
  expect_map(two, [](int thread, int value) {
    const Cell cell = Atom::accumulator(thread % 32, value % 4);
    return Cell{thread / 32 * 16 + cell.row, value / 4 * 8 + cell.column};
  });
}

TEST(LaneLayout, RefusesRowsThatCarry) {
  const LaneLayout carries{16, 8, Layout{tile::Shape{32, 4}, tile::Stride{3, 1}}};
  EXPECT_THROW(carries.into(1, 0), tile::Refused);
}

TEST(LaneProof, SeesOneWrongPlace) {
  using Atom = tile::MmaSync<Element::bf16>;
  const LaneLayout layout = Atom::accumulator_layout();
  EXPECT_TRUE(is_map_of(layout, Atom::accumulator));
  EXPECT_FALSE(is_map_of(layout, [](int lane, int i) {
    return lane == 31 && i == 3 ? Atom::accumulator(30, 3) : Atom::accumulator(lane, i);
  }));
  // A row outside that would name another element's index.
  EXPECT_FALSE(is_map_of(layout, [](int lane, int i) {
    const Cell cell = Atom::accumulator(lane, i);
    return cell.column > 0 ? Cell{cell.row + 16, cell.column - 1} : cell;
  }));
}

TEST(LaneProof, HoldsWhatAnAtomNeeds) {
  const LaneLayout good = tile::quad_accumulators(8);
  EXPECT_TRUE(covers_once(good) && has_fragments(good));
  LaneLayout twice = good;
  twice.layout.stride.leaf[1] = 0;  // all groups have row 0
  EXPECT_FALSE(covers_evenly(twice));
  LaneLayout across = good;  // a lane's pairs lie below each other
  std::swap(across.layout.stride.leaf[2], across.layout.stride.leaf[3]);
  EXPECT_TRUE(covers_once(across));
  EXPECT_FALSE(has_fragments(across));
  const LaneLayout operand = tile::quad_operand(16, 2);
  EXPECT_TRUE(has_vectors(operand, 2));
  EXPECT_FALSE(has_vectors(operand, 4));
}

}  // namespace
