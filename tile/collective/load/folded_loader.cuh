// The loading role of a contraction: a matrix product whose rows, columns and sum are hierarchical
// modes of its tensors. A tile is a box of a tensor with up to five indices, which TMA brings in
// the order of the product; everything behind the loads is the product's.
#pragma once

#include "tile/arch/tma_5d.cuh"
#include "tile/collective/load/folded_index.hpp"
#include "tile/collective/load/tma_loader.cuh"

namespace aisp::tile {

// A or B. Its tile's sides are rows (of B: columns) and the sum.
struct FoldedOperand {
  CUtensorMap map;
  FoldedCorner corner{};
  int panel[4][5] = {};  // from the tile's corner to those of its panels
  int part[5] = {};      // from one block's part of the lines to the next one's, in a cluster
};

struct FoldedMaps {
  FoldedOperand a, b;
  FoldedIndex rows{}, columns{}, sum{}, batch{};

  TILE_DEVICE void prefetch() const {
    arch::prefetch_tensor_map(&a.map);
    arch::prefetch_tensor_map(&b.map);
  }
};

// An operand's boxes, one k-block after the other.
template <OperandTile tile, int parts>
class FoldedBoxes {
 public:
  TILE_DEVICE FoldedBoxes(const FoldedOperand& operand, int part, std::uint16_t mask)
      : operand_(operand), part_(part), mask_(mask) {}

  TILE_DEVICE void enter(const FoldedTile& at) {
#pragma unroll
    for (int d = 0; d < 5; ++d)
      corner_.at[d] = operand_.corner.start(at, d) + (parts > 1 ? part_ * operand_.part[d] : 0);
  }
  // To the next tile of the sum's fastest mode, which is the contiguous index or the lines'.
  TILE_DEVICE void advance() {
    constexpr int d = tile.major == Major::k ? 0 : 1;
    corner_.at[d] += operand_.corner.step[d];
  }
  TILE_DEVICE void load(char* to, arch::MBarrier* landed) const {
#pragma unroll
    for (int panel = 0; panel < tile.panels(); ++panel) {
      arch::BoxCorner at = corner_;
#pragma unroll
      for (int d = 0; d < 5; ++d) at.at[d] += operand_.panel[panel][d];
      char* const box = to + line_start<tile>(part_ * (tile.lines() / parts), panel);
      if constexpr (parts == 1)
        arch::tma_load(box, &operand_.map, landed, at);
      else
        arch::tma_load_multicast(box, &operand_.map, landed, at, mask_);
    }
  }

 private:
  const FoldedOperand& operand_;
  int part_;
  std::uint16_t mask_;
  arch::BoxCorner corner_{};
};

template <GemmConfig config>
class TmaLoader<config, FoldedMaps> {
 public:
  static_assert(config.a_tile().panels() <= 4 && config.b_tile().panels() <= 4);
  static_assert((config.a_major == Major::mn || config.a_tile().panels() == 1) &&
                    (config.b_major == Major::mn || config.b_tile().panels() == 1),
                "a k-block of a K-major operand is one panel");
  static_assert(config.cluster_n == 1, "blocks of a cluster share B");

  TILE_DEVICE TmaLoader(OperandBuffers<config>& buffers, const FoldedMaps& maps, ClusterCoord coord)
      : buffers_(buffers),
        maps_(maps),
        ring_(buffers.ring, coord),
        a_(maps.a, 0, 0),
        b_(maps.b, coord.m, static_cast<std::uint16_t>((1u << config.cluster_m) - 1)) {}

  TILE_DEVICE void load(const BlockTile& tile) {
    FoldedTile a, b;
    maps_.rows.split(tile.row / config.tile_m, a.at + FoldedTile::first);
    maps_.columns.split(tile.column / config.tile_n, b.at + FoldedTile::first);
    maps_.batch.split(tile.batch, a.at + FoldedTile::batch);
    maps_.batch.split(tile.batch, b.at + FoldedTile::batch);
    const int along = maps_.sum.modes > 1 ? maps_.sum.count[0] : 0;  // 0: to the end
    for (int k = tile.k_first, in_mode = 0, left = tile.k_count; left > 0; --left, ++k, ++at_) {
      if (in_mode == 0) {  // the tile begins, or the fastest mode of the sum does
        maps_.sum.split(k, a.at + FoldedTile::second);
        maps_.sum.split(k, b.at + FoldedTile::second);
        in_mode = along - a.at[FoldedTile::second];
        a_.enter(a);
        b_.enter(b);
      } else {
        a_.advance();
        b_.advance();
      }
      --in_mode;
      ring_.acquire(at_);
      auto* landed = ring_.commit(at_, config.stage_bytes());
      a_.load(buffers_.a[at_.slot], landed);  // (BLK_M, BLK_K)
      b_.load(buffers_.b[at_.slot], landed);  // (BLK_N, BLK_K)
    }
  }

 private:
  OperandBuffers<config>& buffers_;
  const FoldedMaps& maps_;
  OperandRing<config> ring_;
  FoldedBoxes<config.a_tile(), 1> a_;
  FoldedBoxes<config.b_tile(), config.cluster_m> b_;
  RingState<config.stages> at_ = RingState<config.stages>::writer();
};

}  // namespace aisp::tile
