// The compiled kernels behind contract(), as tile/device/gemm/recipe_table.hpp has those of gemm().
#pragma once

#include "tile/device/contract/boxes.hpp"
#include "tile/device/gemm/recipe_table.hpp"

namespace aisp::tile::device {

// A contraction and how its modes are folded into the indices of a GEMM.
struct FoldedProblem {
  const ContractionProblem& problem;
  const Folding& folding;
};
using ContractionTable = RecipeTable<FoldedProblem>;

// One for each element and architecture.
void add_contract_bf16(ContractionTable& table);
void add_contract_f16(ContractionTable& table);
void add_sm100_contract_bf16(ContractionTable& table);
void add_sm100_contract_f16(ContractionTable& table);

inline FoldedTiles tiles_of(const FoldedProblem& folded, const KernelDescription& kernel) {
  return tiles_of(folded.folding, folded.problem.d, {kernel.tile_m, kernel.tile_n, kernel.tile_k});
}

// `tile` is a configuration or a description: what has tile_m, tile_n and tile_k.
template <class Tile>
GemmProblem whole_tiles(const FoldedTiles& tiles, const Tile& tile) {
  return {.m = tiles.m * tile.tile_m,
          .n = tiles.n * tile.tile_n,
          .k = tiles.k * tile.tile_k,
          .batch = tiles.batch};
}

}  // namespace aisp::tile::device
