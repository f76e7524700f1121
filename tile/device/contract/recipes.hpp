// The compiled kernels behind contract(), as tile/device/gemm/recipe_table.hpp has those of gemm().
#pragma once

#include "tile/device/contract/boxes.hpp"
#include "tile/device/gemm/recipe_table.hpp"

namespace aisp::tile::device {

struct ContractionEntry {
  RecipeInfo recipe{};
  GemmRun (*plan)(const ContractionProblem&, const Folding&, const LaunchChoice&) = nullptr;
};
using ContractionTable = std::vector<ContractionEntry>;

// One for each element.
void add_contract_bf16(ContractionTable& table);
void add_contract_f16(ContractionTable& table);

inline GemmProblem whole_tiles(const FoldedTiles& tiles, const GemmConfig& config) {
  return {.m = tiles.m * config.tile_m,
          .n = tiles.n * config.tile_n,
          .k = tiles.k * config.tile_k,
          .batch = tiles.batch};
}

}  // namespace aisp::tile::device
