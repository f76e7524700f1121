// From a folded contraction to a launch of one recipe: the GEMM's plan with other tensor maps and
// another output. plan_sm90.cuh and plan_sm100.cuh add the recipes of an architecture.
#pragma once

#include "tile/device/contract/maps.cuh"
#include "tile/device/contract/recipes.hpp"
#include "tile/device/gemm/plan.cuh"

namespace aisp::tile::device {

template <class Recipe>
PlannedRun plan_folded(const FoldedProblem& folded, const LaunchChoice& choice,
                       const Allocate& allocate) {
  constexpr auto config = Recipe::config;
  const auto& [problem, folding] = folded;
  const FoldedTiles tiles =
      tiles_of(folding, problem.d, {config.tile_m, config.tile_n, config.tile_k});
  const GemmProblem product = whole_tiles(tiles, config);
  auto fitted =
      fitted_to_device<Recipe>(tiles_of<config>(product, choice.raster), choice, allocate);
  fitted.params.operands = folded_maps<config>(problem, folding, tiles);
  fitted.params.epilogue.tree.right.value = problem.alpha;
  fitted.params.epilogue.out = folded_output(problem.d, folding, tiles);
  return fitted.run();
}

template <class... Named>
void add_contractions(ContractionTable& table) {
  (table.push_back({description_of_recipe<Named>(Named::name), plan_folded<Named>}), ...);
}

}  // namespace aisp::tile::device
