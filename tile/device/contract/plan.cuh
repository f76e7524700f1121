// From a folded contraction to a launch of one recipe: the product's plan with other tensor maps
// and another output.
#pragma once

#include "tile/device/contract/maps.cuh"
#include "tile/device/contract/recipes.hpp"
#include "tile/device/gemm/plan.cuh"

namespace aisp::tile::device {

template <GemmConfig config, class Schedule>
using Contraction = GemmRecipe<config, Scaled<Accumulator>, Schedule, SharedOperands<config>,
                               FoldedMaps, FoldedOutput>;

template <class Recipe>
GemmRun plan_folded(const ContractionProblem& problem, const Folding& folding,
                    const LaunchChoice& choice) {
  constexpr GemmConfig config = Recipe::config;
  const FoldedTiles tiles =
      tiles_of(folding, problem.d, {config.tile_m, config.tile_n, config.tile_k});
  const GemmProblem product = whole_tiles(tiles, config);
  auto fitted = fitted_to_device<Recipe>(tiles_of<config>(product, choice.raster), choice, {});
  fitted.params.operands = folded_maps<config>(problem, folding, tiles);
  fitted.params.epilogue.tree.right.value = problem.alpha;
  fitted.params.epilogue.out = folded_output(problem.d, folding, tiles);
  return fitted.run();
}

template <class... Named>
void add_contractions(ContractionTable& table) {
  (table.push_back({{.name = Named::name,
                     .config = Named::config,
                     .schedule = Named::Schedule::kind,
                     .reads_c = false},
                    plan_folded<Named>}),
   ...);
}

}  // namespace aisp::tile::device
