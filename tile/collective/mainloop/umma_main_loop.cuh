// The seam between the kernels for tcgen05 and main loops: what a kernel asks of the loop that a
// recipe names, and the products of one pair of tiles that all of them issue. One thread runs it:
// of a block, or of the leader of a pair.
#pragma once

#include <concepts>

#include "tile/arch/tcgen05_mma.cuh"
#include "tile/collective/load/umma_loader.cuh"

namespace aisp::tile {

TILE_FN UmmaSwizzle umma_swizzle(SwizzleMode swizzle) {
  using enum UmmaSwizzle;
  return swizzle == SwizzleMode::bytes_128  ? bytes_128
         : swizzle == SwizzleMode::bytes_64 ? bytes_64
         : swizzle == SwizzleMode::bytes_32 ? bytes_32
                                            : none;
}

template <OperandTile tile>
TILE_DEVICE std::uint64_t umma_operand(const char* start) {
  constexpr DescriptorStrides strides = descriptor_strides<tile>();
  return umma_matrix_descriptor(arch::shared_address(start), strides.leading, strides.stride,
                                umma_swizzle(tile.swizzle));
}
// From a tile's descriptor to that of the k of instruction `step`; a descriptor counts in 16 bytes.
template <OperandTile tile>
TILE_FN int umma_step(int step) {
  return operand_start<tile>(0, step * tile.step_k()) / 16;
}

template <UmmaConfig config>
using UmmaOf = Umma<config.a, config.b, config.tile_m, config.tile_n, config.cta_group>;

// accumulator (tile_m, tile_n) (+)= A (tile_m, tile_k) * B (tile_n, tile_k)^T, of a pair with the
// halves that lie in the same places of both blocks.
template <UmmaConfig config>
TILE_DEVICE void umma_tiles(arch::TmemAddress accumulator, const char* a_smem, const char* b_smem,
                            bool add) {
  using Atom = UmmaOf<config>;
  constexpr OperandTile a_tile = config.a_tile(), b_tile = config.b_tile();
  constexpr std::uint32_t what = Atom::descriptor(config.a_major, config.b_major);
  const std::uint64_t a = umma_operand<a_tile>(a_smem);  // (BLK_M, BLK_K)
  const std::uint64_t b = umma_operand<b_tile>(b_smem);  // (BLK_N, BLK_K)
#pragma unroll
  for (int step = 0; step < b_tile.steps(); ++step)
    arch::umma<Atom::kind, config.cta_group>(accumulator, a + umma_step<a_tile>(step),
                                             b + umma_step<b_tile>(step), what, add || step > 0);
}

// `loads_operands` is false where a role of the block brings the operands, true where the thread
// that multiplies asks for them. accumulator = A B, of at least one k-block; the products may be
// under way when it returns. `tmem` is the first column that config.tmem() plans.
template <class Loop, UmmaConfig config>
concept UmmaIssuerLoop =
    !Loop::loads_operands && requires(Loop loop, UmmaBuffers<config>& buffers, TileCluster at,
                                      arch::TmemAddress tmem, int k_blocks) {
  Loop(buffers, at, tmem);
  loop.multiply(tmem, k_blocks);
};
template <class Loop, UmmaConfig config>
concept UmmaSelfLoadingLoop = Loop::loads_operands &&
    requires(Loop loop, arch::TmemAddress accumulator, const BlockTile& tile) {
  loop.multiply(accumulator, tile);
};
template <class Loop, UmmaConfig config>
concept UmmaMainLoop = UmmaIssuerLoop<Loop, config> || UmmaSelfLoadingLoop<Loop, config>;

}  // namespace aisp::tile
