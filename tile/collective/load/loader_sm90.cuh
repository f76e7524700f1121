// The loading role of a GEMM: one thread goes over the work and asks TMA for the operands' tiles.
// In a cluster each block asks for its part of a tile, which TMA multicasts to every block that
// needs it.
#pragma once

#include "tile/arch/tma.cuh"
#include "tile/collective/gemm_rules_sm90.hpp"
#include "tile/pipeline/tma_ring.cuh"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

// What one block computes next: an output tile by its first row and column, and a range of
// k-blocks.
struct BlockTile {
  int row = 0, column = 0, batch = 0;
  int k_first = 0, k_count = 0;
};

// The operands as they lie in shared memory.
template <Sm90Config config>
struct Sm90Buffers {
  static_assert(admitted<config>);
  static constexpr Sm90Config c = sizes_from<config>;
  alignas(1024) char a[c.stages][c.a_tile().bytes()];  // (BLK_M, BLK_K, STAGES)
  alignas(1024) char b[c.stages][c.b_tile().bytes()];  // (BLK_N, BLK_K, STAGES)
  TmaRingBarriers<config.stages> ring;
};

template <Sm90Config config>
using Sm90OperandRing =
    TmaRing<config.stages, config.readers(), config.cluster_m, config.cluster_n>;

// Where the operands of a tile are described. One product or a batch of equal ones: two tensor maps
// among the kernel's parameters, the batch is their third index.
struct BatchMaps {
  CUtensorMap a, b;

  TILE_DEVICE void prefetch() const {
    arch::prefetch_tensor_map(&a);
    arch::prefetch_tensor_map(&b);
  }
  TILE_DEVICE void enter(int) const {}
  TILE_DEVICE const CUtensorMap* a_map(int) const { return &a; }
  TILE_DEVICE const CUtensorMap* b_map(int) const { return &b; }
  TILE_DEVICE static int depth(int batch) { return batch; }
};

// Products of different sizes: their maps lie in global memory.
struct ProductMaps {
  CUtensorMap a, b;
  CUtensorMap out[4];  // of the epilogue, by the width of its subtiles
};
struct GroupMaps {
  const ProductMaps* products;

  TILE_DEVICE void prefetch() const {}
  // The host wrote them by ordinary copies; TMA reads them through its own cache.
  TILE_DEVICE void enter(int group) const {
    arch::acquire_tensor_map(&products[group].a);
    arch::acquire_tensor_map(&products[group].b);
  }
  TILE_DEVICE const CUtensorMap* a_map(int group) const { return &products[group].a; }
  TILE_DEVICE const CUtensorMap* b_map(int group) const { return &products[group].b; }
  TILE_DEVICE static int depth(int) { return 0; }
};

// One operand's tile, or this block's part of it for all blocks of `mask`: a box for each panel,
// with one of `parts` equal parts of its lines.
template <OperandTile tile, int parts>
TILE_DEVICE void load_operand(char* to, const CUtensorMap* map, arch::MBarrier* landed, int row,
                              int k, int depth, int part, std::uint16_t mask) {
  constexpr int lines = tile.lines() / parts;
#pragma unroll
  for (int panel = 0; panel < tile.panels(); ++panel) {
    const int across = panel * tile.panel_width(), along = part * lines;
    const int x = tile.major == Major::k ? k + across : row + across;
    const int y = tile.major == Major::k ? row + along : k + along;
    char* const at = to + line_start<tile>(along, panel);
    if constexpr (parts == 1)
      arch::tma_load(at, map, landed, x, y, depth);
    else
      arch::tma_load_multicast(at, map, landed, x, y, depth, mask);
  }
}

template <Sm90Config config, class Maps>
class Sm90Loader {
 public:
  TILE_DEVICE Sm90Loader(Sm90Buffers<config>& buffers, const Maps& maps, ClusterCoord coord)
      : buffers_(buffers), maps_(maps), coord_(coord), ring_(buffers.ring, coord) {
    for (int n = 0; n < config.cluster_n; ++n) same_row_ |= 1u << (coord.m + n * config.cluster_m);
    for (int m = 0; m < config.cluster_m; ++m)
      same_column_ |= 1u << (m + coord.n * config.cluster_m);
  }

  TILE_DEVICE void load(const BlockTile& tile) {
    if (tile.batch != entered_) maps_.enter(entered_ = tile.batch);
    const CUtensorMap *a = maps_.a_map(tile.batch), *b = maps_.b_map(tile.batch);
    const int depth = Maps::depth(tile.batch);
    for (int k = tile.k_first * config.tile_k, left = tile.k_count; left > 0; --left, ++at_) {
      ring_.acquire(at_);
      auto* landed = ring_.commit(at_, config.stage_bytes());
      char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      load_operand<config.a_tile(), config.cluster_n>(a_smem, a, landed, tile.row, k, depth,
                                                      coord_.n, same_row_);
      load_operand<config.b_tile(), config.cluster_m>(b_smem, b, landed, tile.column, k, depth,
                                                      coord_.m, same_column_);
      k += config.tile_k;
    }
  }

 private:
  Sm90Buffers<config>& buffers_;
  const Maps& maps_;
  ClusterCoord coord_;
  Sm90OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
  std::uint16_t same_row_ = 0, same_column_ = 0;  // ranks that share this block's A, B
  int entered_ = -1;
};

}  // namespace aisp::tile
