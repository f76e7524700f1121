// The loading role of a GEMM: one thread goes over the work and asks TMA for the operands' tiles.
// In a cluster each block asks for its part of a tile, which TMA multicasts to every block that
// needs it.
#pragma once

#include "tile/collective/gemm_rules_sm90.hpp"
#include "tile/collective/load/operand_maps.cuh"
#include "tile/pipeline/tma_ring.cuh"

namespace aisp::tile {

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
