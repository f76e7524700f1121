// The loading role of a Blackwell GEMM: one thread of each block asks TMA for the operands' tiles.
// Of a pair each block brings its half of the rows of A and of B. In a cluster a tile's copies are
// shared out and multicast, as in Sm90Loader.
#pragma once

#include "tile/collective/gemm_rules_sm100.hpp"
#include "tile/collective/load/operand_maps.cuh"
#include "tile/pipeline/tcgen05_ring.cuh"

namespace aisp::tile {

// Block scales of one block: of A, behind them those of B, each (GROUPS, ROW_BLOCKS) of 512 bytes.
struct NoScaleBuffers {};
template <Sm100Config config>
struct ScaleBuffers {
  static constexpr Sm100Config c = sm100_sizes_from<config>;
  static constexpr int of_a = c.scale_groups() * scale_block_bytes;
  alignas(128) char scales[c.stages][c.scale_bytes()];
};

// The operands of one block as they lie in shared memory.
template <Sm100Config config>
struct Sm100Buffers
    : std::conditional_t<sm100_sizes_from<config>.scaled(), ScaleBuffers<config>, NoScaleBuffers> {
  static_assert(sm100_admitted<config>);
  static constexpr Sm100Config c = sm100_sizes_from<config>;
  alignas(1024) char a[c.stages][c.a_tile().bytes()];  // (BLK_M, BLK_K, STAGES)
  alignas(1024) char b[c.stages][c.b_tile().bytes()];  // (BLK_N, BLK_K, STAGES)
  TmaRingBarriers<c.stages> ring;
};

// Operands and their block scales. The maps of scales have a block's 128 words, groups along k and
// blocks of rows as their indices; matrices of a batch follow each other.
struct ScaledMaps : BatchMaps {
  CUtensorMap a_scales, b_scales;
  int a_row_blocks = 0, b_row_blocks = 0;  // of one matrix

  TILE_DEVICE void prefetch() const {
    BatchMaps::prefetch();
    arch::prefetch_tensor_map(&a_scales);
    arch::prefetch_tensor_map(&b_scales);
  }
};
template <Sm100Config config>
using Sm100Maps = std::conditional_t<config.scaled(), ScaledMaps, BatchMaps>;

template <Sm100Config config>
using Sm100OperandRing =
    Tcgen05Ring<config.stages, config.cta_group, config.cluster_m, config.cluster_n>;

template <Sm100Config config, class Maps>
class Sm100Loader {
 public:
  TILE_DEVICE Sm100Loader(Sm100Buffers<config>& buffers, const Maps& maps, TileCluster at)
      : buffers_(buffers),
        maps_(maps),
        cluster_(at),
        ring_(buffers.ring, at),
        same_a_(Masks::same_a(at)),
        same_b_(Masks::same_b(at)) {}

  // `tile` is that of the block or of the pair.
  TILE_DEVICE void load(const BlockTile& tile) {
    if (tile.batch != entered_) maps_.enter(entered_ = tile.batch);
    const CUtensorMap *a = maps_.a_map(tile.batch), *b = maps_.b_map(tile.batch);
    const int depth = Maps::depth(tile.batch);
    const int row = tile.row + cluster_.half * config.block_m();
    const int column = tile.column + cluster_.half * config.block_n();
    for (int block = tile.k_first, left = tile.k_count; left > 0; ++block, --left, ++at_) {
      ring_.acquire(at_);
      auto* landed = ring_.commit(at_, config.copied_bytes());
      const int k = block * config.a_tile().k;
      char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      load_operand<config.a_tile(), config.cluster_n, config.cta_group>(
          a_smem, a, landed, row, k, depth, cluster_.tile.n, same_a_);
      load_operand<config.b_tile(), config.cluster_m, config.cta_group>(
          b_smem, b, landed, column, k, depth, cluster_.tile.m, same_b_);
      if constexpr (config.scaled())
        load_scales(landed, row, tile.column, block * config.scale_groups(), tile.batch);
    }
  }

  // After the last tile: no peer's products signal this block's barriers any more.
  TILE_DEVICE void drain() {
    if constexpr (config.blocks() > 1)
      for (int slot = 0; slot < config.stages; ++slot, ++at_) ring_.acquire(at_);
  }

 private:
  using Masks = ClusterMasks<config.cta_group, config.cluster_m, config.cluster_n>;

  // Every block its own: they are few bytes. Of a pair both need the scales of all columns.
  TILE_DEVICE void load_scales(arch::MBarrier* landed, int row, int column, int group, int batch) {
    char* const a_smem = buffers_.scales[at_.slot];            // (GROUPS, 1)
    char* const b_smem = a_smem + Sm100Buffers<config>::of_a;  // (GROUPS, ROW_BLOCKS)
    load_box(a_smem, &maps_.a_scales, landed, group, batch * maps_.a_row_blocks + row / scale_rows);
    load_box(b_smem, &maps_.b_scales, landed, group,
             batch * maps_.b_row_blocks + column / scale_rows);
  }
  TILE_DEVICE static void load_box(char* to, const CUtensorMap* map, arch::MBarrier* landed,
                                   int group, int row_block) {
    if constexpr (config.cta_group == 1)
      arch::tma_load(to, map, landed, 0, group, row_block);
    else
      arch::tma_load_pair(to, map, landed, 0, group, row_block);
  }

  Sm100Buffers<config>& buffers_;
  const Maps& maps_;
  TileCluster cluster_;
  Sm100OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
  std::uint16_t same_a_, same_b_;  // ranks that hold this block's A, B
  int entered_ = -1;
};

}  // namespace aisp::tile
