// A k-block of products with block scales: the scales of a slot are copied from shared to tensor
// memory, then each instruction names the columns and the first of four scales that it reads. Slots
// have columns of their own: when one is full again, the products that read its columns are done.
#pragma once

#include "tile/arch/tcgen05_cp.cuh"
#include "tile/arch/tcgen05_mma.cuh"
#include "tile/atom/tmem_copy.hpp"
#include "tile/collective/load/loader_sm100.cuh"
#include "tile/collective/mainloop/tcgen05_operand.cuh"

namespace aisp::tile {

template <Sm100Config config>
using Tcgen05ScaledOf = Tcgen05Scaled<config.a, config.b, config.tile_m, config.tile_n,
                                      config.cta_group, config.scaling>;

// Columns of a slot: for each group of four scales along k those of A, then those of B, whose
// blocks of 128 columns stand side by side.
template <Sm100Config config>
struct ScaleColumns {
  static constexpr int block = SharedToTmem::of(arch::TmemCopyShape::l32x128b).columns();
  static constexpr int group = block * (1 + config.b_scale_blocks());
  static TILE_FN int a(int of_group) { return of_group * group; }
  static TILE_FN int b(int of_group, int row_block) {
    return of_group * group + block * (1 + row_block);
  }
};

// Ordered before the products that the same thread issues behind it.
template <Sm100Config config>
TILE_DEVICE void copy_scales(const char* scales, arch::TmemAddress to) {
  using Columns = ScaleColumns<config>;
  constexpr int groups = config.scale_groups(), eight_rows = 8 * 16;
  const std::uint64_t from = tcgen05_matrix_descriptor(arch::shared_address(scales), eight_rows,
                                                       eight_rows, Tcgen05Swizzle::none);
  const auto copy = [&](int block, int column) {
    arch::tmem_copy<arch::TmemCopyShape::l32x128b, config.cta_group>(
        arch::tmem_at(to, 0, column), from + block * (scale_block_bytes / 16));
  };
#pragma unroll
  for (int group = 0; group < groups; ++group) {
    copy(group, Columns::a(group));
#pragma unroll
    for (int block = 0; block < config.b_scale_blocks(); ++block)
      copy((1 + block) * groups + group, Columns::b(group, block));
  }
}

// accumulator (+)= the products of a slot; `first_column` is that of the tile in D.
template <Sm100Config config>
TILE_DEVICE void tcgen05_scaled_tiles(arch::TmemAddress accumulator, const char* a_smem,
                                      const char* b_smem, arch::TmemAddress scales,
                                      int first_column, bool add) {
  using Atom = Tcgen05ScaledOf<config>;
  constexpr OperandTile a_tile = config.a_tile(), b_tile = config.b_tile();
  const std::uint64_t a = tcgen05_operand<a_tile>(a_smem);  // (BLK_M, BLK_K)
  const std::uint64_t b = tcgen05_operand<b_tile>(b_smem);  // (BLK_N, BLK_K)
  const int within = first_column % scale_rows / 32;        // of the first block of B's scales
#pragma unroll
  for (int step = 0; step < b_tile.steps(); ++step)
    arch::tcgen05_scaled<Atom::kind, config.cta_group>(
        accumulator, a + tcgen05_step<a_tile>(step), b + tcgen05_step<b_tile>(step),
        Atom::descriptor(config.a_major, config.b_major, step),
        arch::tmem_at(scales, 0, ScaleColumns<config>::a(Atom::group(step))),
        arch::tmem_at(scales, 0, ScaleColumns<config>::b(Atom::group(step), 0) + within),
        add || step > 0);
}

}  // namespace aisp::tile
