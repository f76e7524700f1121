// The operands of a contraction as the loading roles of all architectures see them: a tile is a box
// of a tensor with up to five indices, which TMA brings in the order of the GEMM.
#pragma once

#include "tile/arch/tma_5d.cuh"
#include "tile/collective/load/folded_index.hpp"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

// A or B; `side` are its rows, of B the columns.
struct FoldedOperand {
  CUtensorMap map;
  FoldedSteps side{}, sum{}, batch{};
  FoldedSteps advance{};  // from k-block to k-block
  int panel[4][5] = {};   // from the tile's corner to those of its panels
  int part[5] = {};       // from one block's part of the lines to the next one's, in a cluster
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

  TILE_DEVICE void enter(const FoldedMaps& maps, const FoldedIndex& side, int place, int product,
                         int k_first) {
#pragma unroll
    for (int d = 0; d < 5; ++d) corner_.at[d] = parts > 1 ? part_ * operand_.part[d] : 0;
    operand_.side.move(corner_.at, side, place);
    operand_.batch.move(corner_.at, maps.batch, product);
    if (k_first > 0) operand_.sum.move(corner_.at, maps.sum, k_first);
  }
  // Mode 0, where it has several tiles, is an index of its own: the contiguous one, or the first of
  // the lines'. It is what mostly moves.
  TILE_DEVICE void advance(int mode) {
    constexpr int fastest = tile.major == Major::k ? 0 : 1;
    if (mode == 0) {
      corner_.at[fastest] += operand_.advance.of[0][fastest];
      return;
    }
#pragma unroll
    for (int d = 0; d < 5; ++d) corner_.at[d] += operand_.advance.of[mode][d];
  }
  TILE_DEVICE void load(char* to, arch::MBarrier* landed) const {
#pragma unroll
    for (int panel = 0; panel < tile.panels(); ++panel) {
      arch::BoxCorner at = corner_;
#pragma unroll
      for (int d = 0; panel > 0 && d < 5; ++d) at.at[d] += operand_.panel[panel][d];
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

}  // namespace aisp::tile
