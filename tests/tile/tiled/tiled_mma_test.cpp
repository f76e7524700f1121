// Atoms over a block's tile: every sum has one owner, ldmatrix and cp.async meet no bank conflict,
// every 16 bytes of a tile are copied once.
#include "tile/tiled/tiled_mma.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tile/atom/lane_proof.hpp"
#include "tile/atom/ldmatrix.hpp"
#include "tile/atom/mma_sm80.hpp"
#include "tile/atom/mma_volta.hpp"
#include "tile/atom/simt.hpp"
#include "tile/collective/gemm_config_sm80.hpp"
#include "tile/layout/banks.hpp"

using namespace aisp;

namespace {

using tile::Cell;
using tile::Element;
using tile::Major;
using tile::MmaTiling;
using tile::OperandTile;
using tile::TiledMma;

template <class Atom>
constexpr MmaTiling sixty_four{64, 64, 64 / bytes_of(Atom::element), 2, 2};

template <class Atom>
void expect_covered() {
  using Mma = TiledMma<Atom, sixty_four<Atom>>;
  constexpr int of_atom = Atom::accumulators, of_row = Mma::n_atoms * of_atom;
  EXPECT_TRUE(covers_once(Mma::accumulator_layout()));
  EXPECT_TRUE(is_map_of(Mma::accumulator_layout(), [](int thread, int value) {
    return Mma::accumulator(thread, value / of_row, value % of_row / of_atom, value % of_atom);
  }));
  EXPECT_EQ(Mma::step_k * Mma::steps, Mma::tiling.tile_k);
}

TEST(TiledMma, EverySumHasOneOwner) {
  expect_covered<tile::MmaSync<Element::bf16>>();
  expect_covered<tile::MmaSync<Element::f16, 8>>();
  expect_covered<tile::MmaSync<Element::s8>>();
  expect_covered<tile::MmaVolta>();
  expect_covered<tile::Simt<Element::f32>>();
}

TEST(TiledMma, ShortAtomsShareAStep) {
  using Long = TiledMma<tile::MmaSync<Element::bf16>, MmaTiling{}>;
  using Short = TiledMma<tile::MmaSync<Element::bf16, 8>, MmaTiling{}>;
  EXPECT_EQ(Long::k_atoms, 1);
  EXPECT_EQ(Short::k_atoms, 2);
  EXPECT_EQ(Long::steps, Short::steps);
  EXPECT_EQ(Long::corner(3), (Cell{64, 32}));
}

OperandTile tile_of(Element element, Major major, int rows, int k) {
  return tile::Sm80Config::operand(element, major, rows, k);
}

// One ldmatrix.x4: 8 lanes at a time.
int ldmatrix_conflicts(const OperandTile& tile, int row, int k_byte) {
  const tile::Swizzled layout = line_layout(tile);
  int offset[32];
  for (int lane = 0; lane < 32; ++lane) {
    const bool k_major = tile.major == Major::k;
    const Cell at = k_major ? tile::LdMatrixX4::k_major(lane) : tile::LdMatrixX4::mn_major(lane);
    offset[lane] = k_major ? layout(row + at.row, k_byte + at.column * 16)
                           : layout(k_byte / 2 + at.row, row * 2 + at.column * 16);
  }
  return tile::bank_access(offset, 16).conflicts();
}

TEST(TiledMma, LdmatrixMeetsNoBankConflict) {
  const OperandTile tiles[] = {
      tile_of(Element::bf16, Major::k, 128, 32),  tile_of(Element::bf16, Major::k, 128, 64),
      tile_of(Element::s8, Major::k, 64, 256),    tile_of(Element::tf32, Major::k, 64, 16),
      tile_of(Element::bf16, Major::mn, 128, 32), tile_of(Element::f16, Major::mn, 64, 32),
  };
  for (const OperandTile& tile : tiles)
    for (int row = 0; row < tile.rows; row += 16)
      for (int byte = 0; byte < tile.k * bytes_of(tile.element); byte += 32)
        EXPECT_EQ(ldmatrix_conflicts(tile, row, byte), 0) << row << ' ' << byte;
}

// The readers add whole atoms to the offset of the first.
TEST(LineLayout, RepeatsAfterEightLines) {
  for (const OperandTile& tile :
       {tile_of(Element::bf16, Major::k, 64, 16), tile_of(Element::bf16, Major::k, 64, 32),
        tile_of(Element::bf16, Major::mn, 128, 32)}) {
    const tile::Swizzled layout = line_layout(tile);
    for (int line = 0; line + 8 < tile.lines(); ++line)
      for (int byte = 0; byte < tile.line_bytes(); byte += 4)
        EXPECT_EQ(layout(line + 8, byte), layout(line, byte) + 8 * width_of(tile.swizzle));
  }
}

// The layouts that operands are given are swizzle atoms, repeated down the lines and then panel by
// panel, and their elements counted along k or along m and n.
TEST(OperandLayout, IsTheSwizzleRepeated) {
  for (const OperandTile& tile :
       {tile_of(Element::bf16, Major::k, 128, 64), tile_of(Element::bf16, Major::mn, 128, 64),
        tile_of(Element::tf32, Major::k, 40, 64), tile_of(Element::s8, Major::mn, 64, 32)}) {
    const int width = width_of(tile.swizzle), lines = tile.lines();
    const tile::Swizzled eight =
        compose(tile::memory_swizzle(width, 8), tile::row_major(tile::Shape{8, width}));
    const tile::Swizzled whole =
        tile_to_shape(eight, tile::Shape{lines, tile.line_bytes()}, tile::Tuple{0, 1});
    const tile::Swizzled by_line = line_layout(tile), by_element = operand_layout(tile);
    ASSERT_EQ(size(whole), size(by_line));
    for (int i = 0; i < size(whole); ++i) ASSERT_EQ(whole(i), by_line(i));
    const int along = lines * bytes_of(tile.element);
    const bool k_major = tile.major == Major::k;
    const tile::Swizzled elements =
        compose(whole, tile::Layout{tile::Shape{tile.rows, tile.k},
                                    k_major ? tile::Stride{1, along} : tile::Stride{along, 1}});
    for (int i = 0; i < size(elements); ++i) ASSERT_EQ(elements(i), by_element(i));
  }
}

template <OperandTile tile, int rows>
void expect_pieces() {
  for (int m = 0; m < tile.rows / rows; ++m)
    for (int step = 0; step < tile.steps(); ++step)
      EXPECT_EQ((tile::piece_start<tile, rows>(m, step)),
                tile::operand_start<tile>(m * rows, step * tile.step_k()));
}

TEST(OperandLayout, PiecesBeginWhereTheirFirstElementIs) {
  expect_pieces<OperandTile{.rows = 128, .k = 128}, 64>();
  expect_pieces<OperandTile{.major = Major::mn, .rows = 256, .k = 64}, 64>();
  expect_pieces<OperandTile{.element = Element::e4m3, .rows = 40, .k = 128}, 40>();
  expect_pieces<
      OperandTile{.major = Major::mn, .rows = 32, .k = 64, .swizzle = tile::SwizzleMode::bytes_64},
      32>();
}

template <OperandTile tile, int threads>
void expect_copied_once() {
  using Plan = tile::CopyPlan<tile, threads>;
  std::vector<int> copies(tile.bytes() / 16);
  for (int i = 0; i < Plan::count; ++i)
    for (int warp = 0; warp < threads / 32; ++warp) {
      int offset[32];
      for (int lane = 0; lane < 32; ++lane) {
        const int thread = warp * 32 + lane;
        offset[lane] = Plan::offset(thread, i);
        EXPECT_EQ(offset[lane], line_layout(tile)(Plan::line(thread, i), Plan::byte(thread)));
        EXPECT_EQ(offset[lane], Plan::layout()(thread, i));
        ++copies.at(offset[lane] / 16);
      }
      EXPECT_EQ(tile::bank_access(offset, 16).conflicts(), 0);
    }
  for (int count : copies) EXPECT_EQ(count, 1);
}

TEST(CopyPlan, EverySixteenBytesOnceWithoutConflict) {
  using enum Major;
  using Config = tile::Sm80Config;
  expect_copied_once<Config::operand(Element::bf16, k, 128, 32), 256>();
  expect_copied_once<Config::operand(Element::bf16, k, 256, 64), 256>();
  expect_copied_once<Config::operand(Element::bf16, mn, 128, 32), 256>();
  expect_copied_once<Config::operand(Element::f32, mn, 128, 16), 256>();
  expect_copied_once<Config::operand(Element::s8, mn, 64, 64), 128>();
}

TEST(Sm80Config, CountsItsSharedMemory) {
  constexpr tile::Sm80Config config{};
  EXPECT_EQ(config.shared_bytes(Element::bf16), 4 * (128 + 256) * 32 * 2);
  EXPECT_EQ(config.threads(), 256);
  EXPECT_TRUE((tile::multistage_admitted<tile::MmaSync<Element::bf16>, config, 166912>));
}

}  // namespace
