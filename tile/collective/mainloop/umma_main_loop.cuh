// The seam between the kernels for tcgen05 and main loops: what a kernel asks of the loop that a
// recipe names, and the products of one pair of tiles that all of them issue. One thread runs it:
// of a block, or of the leader of a pair.
#pragma once

#include <concepts>

#include "tile/arch/tcgen05_mma.cuh"
#include "tile/collective/load/umma_loader.cuh"
#include "tile/collective/mainloop/umma_scaled_tiles.cuh"

namespace aisp::tile {

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

// One slot of the ring, whatever its operands are. `tmem` is the first column that config.tmem()
// plans.
template <UmmaConfig config>
TILE_DEVICE void umma_slot(UmmaBuffers<config>& buffers, int slot, arch::TmemAddress tmem,
                           arch::TmemAddress accumulator, int first_column, bool add) {
  const char* const a_smem = buffers.a[slot];  // (BLK_M, BLK_K)
  const char* const b_smem = buffers.b[slot];  // (BLK_N, BLK_K)
  if constexpr (config.scaled()) {
    constexpr int first = config.tmem().first("scales");
    const auto scales = arch::tmem_at(tmem, 0, first + slot * config.scale_columns());
    copy_scales<config>(buffers.scales[slot], scales);
    umma_scaled_tiles<config>(accumulator, a_smem, b_smem, scales, first_column, add);
  } else {
    umma_tiles<config>(accumulator, a_smem, b_smem, add);
  }
}

// `loads_operands` is false where a role of the block brings the operands, true where the thread
// that multiplies asks for them. accumulator = A B, of at least one k-block; the products may be
// under way when it returns. `tmem` is the first column that config.tmem() plans.
template <class Loop, UmmaConfig config>
concept UmmaIssuerLoop =
    !Loop::loads_operands && requires(Loop loop, UmmaBuffers<config>& buffers, TileCluster at,
                                      arch::TmemAddress tmem, const BlockTile& tile) {
  Loop(buffers, at, tmem);
  loop.multiply(tmem, tile);
};
template <class Loop, UmmaConfig config>
concept UmmaSelfLoadingLoop = Loop::loads_operands &&
    requires(Loop loop, arch::TmemAddress accumulator, const BlockTile& tile) {
  loop.multiply(accumulator, tile);
};
template <class Loop, UmmaConfig config>
concept UmmaMainLoop = UmmaIssuerLoop<Loop, config> || UmmaSelfLoadingLoop<Loop, config>;

}  // namespace aisp::tile
