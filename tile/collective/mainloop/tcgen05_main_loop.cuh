// The seam between the kernels for tcgen05 and main loops: what a kernel asks of the loop that a
// recipe names, and the products of one pair of tiles that all of them issue. One thread runs it:
// of a block, or of the leader of a pair.
#pragma once

#include <concepts>

#include "tile/arch/tcgen05_mma.cuh"
#include "tile/collective/load/loader_sm100.cuh"
#include "tile/collective/mainloop/tcgen05_scaled_tiles.cuh"

namespace aisp::tile {

template <Sm100Config config>
using Tcgen05Of = Tcgen05<config.a, config.b, config.tile_m, config.tile_n, config.cta_group>;

// accumulator (tile_m, tile_n) (+)= A (tile_m, tile_k) * B (tile_n, tile_k)^T, of a pair with the
// halves that lie in the same places of both blocks.
template <Sm100Config config>
TILE_DEVICE void tcgen05_tiles(arch::TmemAddress accumulator, const char* a_smem,
                               const char* b_smem, bool add) {
  using Atom = Tcgen05Of<config>;
  constexpr OperandTile a_tile = config.a_tile(), b_tile = config.b_tile();
  constexpr std::uint32_t what = Atom::descriptor(config.a_major, config.b_major);
  const std::uint64_t a = tcgen05_operand<a_tile>(a_smem);  // (BLK_M, BLK_K)
  const std::uint64_t b = tcgen05_operand<b_tile>(b_smem);  // (BLK_N, BLK_K)
#pragma unroll
  for (int step = 0; step < b_tile.steps(); ++step)
    arch::tcgen05<Atom::kind, config.cta_group>(accumulator, a + tcgen05_step<a_tile>(step),
                                                b + tcgen05_step<b_tile>(step), what,
                                                add || step > 0);
}

// One slot of the ring, whatever its operands are. `tmem` is the first column that config.tmem()
// plans.
template <Sm100Config config>
TILE_DEVICE void tcgen05_slot(Sm100Buffers<config>& buffers, int slot, arch::TmemAddress tmem,
                              arch::TmemAddress accumulator, int first_column, bool add) {
  const char* const a_smem = buffers.a[slot];  // (BLK_M, BLK_K)
  const char* const b_smem = buffers.b[slot];  // (BLK_N, BLK_K)
  if constexpr (config.scaled()) {
    constexpr int first = config.tmem().first("scales");
    const auto scales = arch::tmem_at(tmem, 0, first + slot * config.scale_columns());
    copy_scales<config>(buffers.scales[slot], scales);
    tcgen05_scaled_tiles<config>(accumulator, a_smem, b_smem, scales, first_column, add);
  } else {
    tcgen05_tiles<config>(accumulator, a_smem, b_smem, add);
  }
}

// `loads_operands` is false where a role of the block brings the operands, true where the thread
// that multiplies asks for them. accumulator = A B, of at least one k-block; the products may be
// under way when it returns. `tmem` is the first column that config.tmem() plans.
template <class Loop, Sm100Config config>
concept Tcgen05IssuerLoop =
    !Loop::loads_operands && requires(Loop loop, Sm100Buffers<config>& buffers, TileCluster at,
                                      arch::TmemAddress tmem, const BlockTile& tile) {
  Loop(buffers, at, tmem);
  loop.multiply(tmem, tile);
};
template <class Loop, Sm100Config config>
concept Tcgen05SelfLoadingLoop = Loop::loads_operands &&
    requires(Loop loop, arch::TmemAddress accumulator, const BlockTile& tile) {
  loop.multiply(accumulator, tile);
};
template <class Loop, Sm100Config config>
concept Sm100MainLoop = Tcgen05IssuerLoop<Loop, config> || Tcgen05SelfLoadingLoop<Loop, config>;

}  // namespace aisp::tile
