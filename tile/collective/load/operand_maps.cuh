// What the loading roles of all kernels with TMA share: the tile that is computed next, the tensor
// maps of its operands, and the copies of one operand's tile.
#pragma once

#include "tile/arch/cta_pair.cuh"
#include "tile/arch/mbarrier.cuh"
#include "tile/arch/tma.cuh"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

// What one block computes next: an output tile by its first row and column, and a range of
// k-blocks.
struct BlockTile {
  int row = 0, column = 0, batch = 0;
  int k_first = 0, k_count = 0;
};

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
// with one of `parts` equal parts of its lines. In a pair of blocks (`cta_group` 2) the copy is
// announced to the barrier of the pair's leader.
template <OperandTile tile, int parts, int cta_group = 1>
TILE_DEVICE void load_operand(char* to, const CUtensorMap* map, arch::MBarrier* landed, int row,
                              int k, int depth, int part, std::uint16_t mask) {
  constexpr int lines = tile.lines() / parts;
#pragma unroll
  for (int panel = 0; panel < tile.panels(); ++panel) {
    const int across = panel * tile.panel_width(), along = part * lines;
    const int x = tile.major == Major::k ? k + across : row + across;
    const int y = tile.major == Major::k ? row + along : k + along;
    char* const at = to + line_start<tile>(along, panel);
    if constexpr (cta_group == 1 && parts == 1)
      arch::tma_load(at, map, landed, x, y, depth);
    else if constexpr (cta_group == 1)
      arch::tma_load_multicast(at, map, landed, x, y, depth, mask);
    else if constexpr (parts == 1)
      arch::tma_load_pair(at, map, landed, x, y, depth);
    else
      arch::tma_load_pair_multicast(at, map, landed, x, y, depth, mask);
  }
}

}  // namespace aisp::tile
