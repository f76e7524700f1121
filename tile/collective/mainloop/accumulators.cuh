// The accumulators of a math warpgroup and the wgmma instructions that add to them.
#pragma once

#include <type_traits>

#include "tile/arch/wgmma.cuh"
#include "tile/collective/gemm_rules_sm90.hpp"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

TILE_FN arch::MatrixKind matrix_kind(Element a, Element b) {
  using enum arch::MatrixKind;
  switch (a) {
    case Element::bf16:
      return bf16;
    case Element::f16:
      return f16;
    case Element::tf32:
      return tf32;
    case Element::s8:
      return s8;
    case Element::e4m3:
      return b == Element::e5m2 ? e4m3_e5m2 : e4m3;
    default:
      return b == Element::e4m3 ? e5m2_e4m3 : e5m2;
  }
}

TILE_FN arch::SharedSwizzle descriptor_swizzle(SwizzleMode swizzle) {
  using enum arch::SharedSwizzle;
  return swizzle == SwizzleMode::bytes_128  ? bytes_128
         : swizzle == SwizzleMode::bytes_64 ? bytes_64
         : swizzle == SwizzleMode::bytes_32 ? bytes_32
                                            : none;
}

template <OperandTile tile>
TILE_DEVICE std::uint64_t operand_descriptor(const char* start) {
  constexpr DescriptorStrides strides = descriptor_strides<tile>();
  return arch::matrix_descriptor(start, strides.leading, strides.stride,
                                 descriptor_swizzle(tile.swizzle));
}

// From a tile's descriptor to that of piece `piece` of its rows and the k of instruction `step`; a
// descriptor counts in 16 bytes.
template <OperandTile tile, int rows = tile.rows>
TILE_FN int descriptor_step(int piece, int step) {
  return piece_start<tile, rows>(piece, step) / 16;
}

// Of a math warpgroup's rows, in one thread: 64 rows, the m of a wgmma, at a time.
template <Sm90Config config>
struct Accumulators {
  static_assert(admitted<config>);
  static constexpr Sm90Config c = sizes_from<config>;
  static constexpr int m_atoms = c.rows_of_warpgroup() / 64;
  using Value = std::conditional_t<c.a == Element::s8 && c.b == Element::s8, int, float>;
  Value of[m_atoms][c.tile_n / 2];  // (MMA_M, (4, BLK_N / 8))

  // Ordinary code touches the accumulators before the next product or after the last.
  TILE_DEVICE void keep() {
#pragma unroll
    for (auto& atom : of) arch::keep_in_place(atom);
  }
};

// accumulators (rows, tile_n) (+)= A (rows, tile_k) * B (tile_n, tile_k)^T, as many instructions as
// that takes; `first_row` is where the warpgroup's rows start in A's tile.
template <Sm90Config config>
TILE_DEVICE void multiply_tiles(Accumulators<config>& accumulators, const char* a_smem,
                                const char* b_smem, int first_row, bool add) {
  static_assert(rules::kept<true, rules::EqualWidths<config.a, config.b>>());
  constexpr Sm90Config c = sizes_from<config>;
  constexpr OperandTile a_tile = c.a_tile(), b_tile = c.b_tile();
  constexpr auto kind = matrix_kind(c.a, c.b);
  const std::uint64_t a =
      operand_descriptor<a_tile>(a_smem + operand_start<a_tile>(first_row, 0));  // (WG_M, BLK_K)
  const std::uint64_t b = operand_descriptor<b_tile>(b_smem);                    // (BLK_N, BLK_K)
#pragma unroll
  for (int step = 0; step < b_tile.steps(); ++step)
#pragma unroll
    for (int m = 0; m < Accumulators<config>::m_atoms; ++m)
      arch::wgmma_instruction<kind, a_tile.major == Major::mn, b_tile.major == Major::mn>(
          accumulators.of[m], a + descriptor_step<a_tile, 64>(m, step),
          b + descriptor_step<b_tile>(0, step), add || step > 0);
}

}  // namespace aisp::tile
