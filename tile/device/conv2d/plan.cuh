// From a convolution to a launch of one recipe: the product's plan with other tensor maps.
#pragma once

#include "tile/device/conv2d/im2col.cuh"
#include "tile/device/gemm/plan.cuh"

namespace aisp::tile::device {

// The problem is one that admit() has nothing against.
template <class Recipe>
GemmRun plan_convolution(const Conv2dProblem& problem, const LaunchChoice& choice,
                         const Allocate& allocate) {
  constexpr GemmConfig config = Recipe::config;
  const GemmProblem product = product_of<config.tile_k>(problem);
  auto fitted =
      fitted_to_device<Recipe>(tiles_of<config>(product, choice.raster), choice, allocate);
  fitted.params.operands = im2col_maps<config>(problem);
  fitted.params.epilogue.tree.beta.value = product.beta;
  fitted.params.epilogue.tree.source = {ElementPointer<config.out>::untyped(product.c.data),
                                        product.c.stride, 0};
  fitted.params.epilogue.out = output_of<config>(product);
  return fitted.run();
}

}  // namespace aisp::tile::device
