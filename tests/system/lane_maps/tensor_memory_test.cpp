// What the tile library and the simulator each say of Blackwell: which register is which cell of
// tensor memory, where an accumulator lies, what the two descriptors of a product hold.
#include <gtest/gtest.h>

#include "sim/exec/matrix/tcgen05/instruction_descriptor.hpp"
#include "sim/exec/matrix/tcgen05/layout.hpp"
#include "sim/exec/tensor_memory/descriptor.hpp"
#include "sim/exec/tensor_memory/transfer_map.hpp"
#include "tile/atom/tcgen05.hpp"
#include "tile/atom/tmem_copy.hpp"
#include "tile/tiled/operand_layout.hpp"

using namespace aisp;

namespace {

using tile::Element;
using tile::Major;
using tile::OperandTile;
using tile::SwizzleMode;
using tile::TmemShape;

template <TmemShape shape, int repeats>
void expect_transfer(sim::TransferShape sims) {
  using Copy = tile::TmemCopy<shape, repeats>;
  EXPECT_EQ(Copy::registers, sim::registers_of(sims, repeats));
  EXPECT_EQ(Copy::columns, sim::columns_of(sims, repeats));
  for (int lane = 0; lane < 32; ++lane)
    for (int reg = 0; reg < Copy::registers; ++reg) {
      const sim::TensorCell want = sim::transfer_cell(sims, lane, reg);
      EXPECT_TRUE(Copy::cell(lane, reg) == (tile::Cell{want.lane, want.column}))
          << "shape " << static_cast<int>(shape) << " lane " << lane << " register " << reg;
    }
}

TEST(TensorMemoryMaps, TransfersAreThoseOfTheSimulator) {
  expect_transfer<TmemShape::l32x32b, 1>(sim::TransferShape::l32x32b);
  expect_transfer<TmemShape::l32x32b, 128>(sim::TransferShape::l32x32b);
  expect_transfer<TmemShape::l16x64b, 64>(sim::TransferShape::l16x64b);
  expect_transfer<TmemShape::l16x128b, 1>(sim::TransferShape::l16x128b);
  expect_transfer<TmemShape::l16x128b, 64>(sim::TransferShape::l16x128b);
  expect_transfer<TmemShape::l16x256b, 2>(sim::TransferShape::l16x256b);
  expect_transfer<TmemShape::l16x256b, 32>(sim::TransferShape::l16x256b);
  expect_transfer<TmemShape::l16x32bx2, 16>(sim::TransferShape::l16x32bx2);
}

template <int m, int n, int cta_group>
void expect_accumulator() {
  using Atom = tile::Tcgen05<Element::bf16, Element::bf16, m, n, cta_group>;
  const auto layout = sim::AccumulatorLayout::of(m, cta_group == 2, false, false);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      const int width = n / layout.pieces;
      const tile::TmemCell want{row / layout.rows, layout.lane(row % layout.rows, column / width),
                                column % width};
      EXPECT_TRUE(Atom::accumulator(row, column) == want) << row << ", " << column;
    }
}

TEST(TensorMemoryMaps, AccumulatorsAreThoseOfTheSimulator) {
  expect_accumulator<64, 24, 1>();
  expect_accumulator<128, 48, 1>();
  expect_accumulator<128, 32, 2>();
  expect_accumulator<256, 32, 2>();
}

template <Element a, Element b, int m, int n, int cta_group>
void expect_instruction(sim::MmaKind kind, sim::Type a_type, sim::Type b_type, sim::Type d_type) {
  using Atom = tile::Tcgen05<a, b, m, n, cta_group>;
  sim::MmaForm form;
  form.kind = kind;
  form.pair = cta_group == 2;
  for (const Major a_major : {Major::k, Major::mn})
    for (const Major b_major : {Major::k, Major::mn}) {
      if (bytes_of(a) == 4 && (a_major == Major::mn || b_major == Major::mn)) continue;
      const sim::MmaShape shape = sim::mma_shape(Atom::descriptor(a_major, b_major), form);
      EXPECT_EQ(shape.m, m);
      EXPECT_EQ(shape.n, n);
      EXPECT_EQ(shape.k, Atom::k);
      EXPECT_EQ(shape.a, a_type);
      EXPECT_EQ(shape.b, b_type);
      EXPECT_EQ(shape.d, d_type);
      EXPECT_EQ(shape.a_mn_major, a_major == Major::mn);
      EXPECT_EQ(shape.b_mn_major, b_major == Major::mn);
      EXPECT_FALSE(shape.saturate || shape.negate_a || shape.negate_b);
    }
}

TEST(TensorMemoryMaps, InstructionDescriptorsSayWhatTheSimulatorReads) {
  using enum Element;
  using sim::MmaKind;
  using sim::Type;
  expect_instruction<bf16, bf16, 128, 256, 1>(MmaKind::f16, Type::bf16, Type::bf16, Type::f32);
  expect_instruction<f16, f16, 64, 8, 1>(MmaKind::f16, Type::f16, Type::f16, Type::f32);
  expect_instruction<bf16, bf16, 256, 128, 2>(MmaKind::f16, Type::bf16, Type::bf16, Type::f32);
  expect_instruction<tf32, tf32, 128, 64, 2>(MmaKind::tf32, Type::tf32, Type::tf32, Type::f32);
  expect_instruction<e4m3, e5m2, 128, 96, 1>(MmaKind::f8f6f4, Type::e4m3, Type::e5m2, Type::f32);
  expect_instruction<e5m2, e4m3, 256, 256, 2>(MmaKind::f8f6f4, Type::e5m2, Type::e4m3, Type::f32);
  expect_instruction<s8, s8, 128, 48, 1>(MmaKind::i8, Type::s8, Type::s8, Type::s32);
}

// Every 16 bytes of the first product's operand lie where the layout of the tile puts them.
template <OperandTile tile_>
void expect_operand() {
  constexpr std::uint32_t start = 4096;
  constexpr auto strides = tile::descriptor_strides<tile_>();
  const auto swizzle = tile_.swizzle == SwizzleMode::bytes_128  ? tile::Tcgen05Swizzle::bytes_128
                       : tile_.swizzle == SwizzleMode::bytes_64 ? tile::Tcgen05Swizzle::bytes_64
                       : tile_.swizzle == SwizzleMode::bytes_32 ? tile::Tcgen05Swizzle::bytes_32
                                                                : tile::Tcgen05Swizzle::none;
  constexpr int per_chunk = 16 / bytes_of(tile_.element);
  for (int step = 0; step < tile_.steps(); ++step) {
    const int first = step * tile_.step_k();
    const std::uint64_t bits =
        tile::tcgen05_matrix_descriptor(start, strides.leading, strides.stride, swizzle) +
        static_cast<std::uint64_t>(tile::operand_start<tile_>(0, first) / 16);
    ASSERT_EQ(sim::TensorDescriptor::why_invalid(bits), "");
    const auto read = sim::TensorDescriptor::of(bits);
    for (int row = 0; row < tile_.rows; ++row)
      for (int k = 0; k < tile_.step_k(); ++k) {
        const bool by_k = tile_.major == Major::k;
        if ((by_k ? k : row) % per_chunk != 0) continue;
        const auto chunk = static_cast<std::uint32_t>((by_k ? k : row) / per_chunk);
        const std::uint32_t at = by_k ? read.k_major(static_cast<std::uint32_t>(row), chunk)
                                      : read.mn_major(chunk, static_cast<std::uint32_t>(k));
        EXPECT_EQ(at,
                  start + static_cast<std::uint32_t>(tile::operand_offset<tile_>(row, first + k)))
            << "row " << row << ", k " << first + k;
      }
  }
}

TEST(TensorMemoryMaps, MatrixDescriptorsNameTheChunksOfOperandTiles) {
  using enum SwizzleMode;
  expect_operand<OperandTile{.rows = 128, .k = 64}>();
  expect_operand<OperandTile{.rows = 64, .k = 128}>();  // two panels
  expect_operand<OperandTile{.rows = 64, .k = 32, .swizzle = bytes_64}>();
  expect_operand<OperandTile{.rows = 64, .k = 16, .swizzle = bytes_32}>();
  expect_operand<OperandTile{.rows = 64, .k = 32, .swizzle = none}>();
  expect_operand<OperandTile{.element = Element::tf32, .rows = 40, .k = 32}>();
  expect_operand<OperandTile{.element = Element::e4m3, .rows = 40, .k = 128}>();
  expect_operand<OperandTile{.major = Major::mn, .rows = 128, .k = 64}>();
  expect_operand<OperandTile{.major = Major::mn, .rows = 32, .k = 64, .swizzle = bytes_64}>();
  expect_operand<OperandTile{.major = Major::mn, .rows = 16, .k = 32, .swizzle = bytes_32}>();
  expect_operand<OperandTile{.major = Major::mn, .rows = 24, .k = 32, .swizzle = none}>();
  expect_operand<OperandTile{.element = Element::s8, .major = Major::mn, .rows = 128, .k = 64}>();
}

}  // namespace
