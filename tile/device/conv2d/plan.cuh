// From a convolution to a launch of one recipe: the product's plan with other tensor maps. Include
// kernels_sm90.cuh or kernels_sm100.cuh beside it, as the recipe is.
#pragma once

#include "tile/device/conv2d/im2col.cuh"
#include "tile/device/gemm/plan.cuh"

namespace aisp::tile::device {

// A plan's own memory and what its maps need.
inline void keep(OwnedMemory& all, OwnedMemory more) {
  for (auto& one : more) all.push_back(std::move(one));
}

// The problem is one that admit() has nothing against.
template <class Recipe>
PlannedRun plan_convolution(const Conv2dProblem& problem, const LaunchChoice& choice = {},
                            const Allocate& allocate = {}) {
  constexpr auto config = Recipe::config;
  const GemmProblem product = product_of(problem, config.tile_k);
  auto fitted =
      fitted_to_device<Recipe>(tiles_of<config>(product, choice.raster), choice, allocate);
  PlanMemory tables(allocate);
  fitted.params.operands = im2col_maps<config>(problem, tables);
  keep(fitted.memory, tables.take());
  fitted.params.epilogue.tree = tree_of_problem<typename Recipe::Tree>(product);
  fitted.params.epilogue.out = batch_output<config>(product);
  return fitted.run();
}

}  // namespace aisp::tile::device
