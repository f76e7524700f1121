// From a convolution to a launch of one Blackwell recipe, as plan.cuh for Hopper's.
#pragma once

#include "tile/collective/epilogue/nodes.hpp"
#include "tile/collective/load/umma_im2col_loader.cuh"
#include "tile/device/conv2d/admit.hpp"
#include "tile/device/conv2d/im2col.cuh"
#include "tile/device/gemm/plan_sm100.cuh"

namespace aisp::tile::device {

// A product whose left operand TMA gathers; its tree has a place for a bias.
template <UmmaConfig config, class Schedule>
struct UmmaConvolution
    : UmmaRecipe<config, Linear<config.out>, Schedule, UmmaOperands<config>, Im2colMaps> {};

// The problem is one that admit() has nothing against; forward, without groups.
template <class Recipe>
PlannedRun plan_umma_convolution(const Conv2dProblem& problem, const LaunchChoice& choice = {}) {
  constexpr UmmaConfig config = Recipe::config;
  if (problem.direction != Conv2dDirection::forward || problem.groups != 1 ||
      problem.element != config.a || problem.out != config.out)
    base::refuse(base::Exit::usage, name_of(problem.direction), " of ", name_of(problem.element),
                 " in ", problem.groups, " groups: the Blackwell recipe is forward, of ",
                 name_of(config.a), " to ", name_of(config.out), " and without groups");
  const GemmProblem product = product_of(problem, config.tile_k);
  using Schedule = typename Recipe::Schedule;
  GemmParams<Recipe> params{
      .operands = im2col_maps<config>(problem, std::int64_t{0}),
      .epilogue = {.tree = {}, .out = scaled_output<config>(product)},
      .schedule = Schedule::params(tiles_of<config>(product, choice.raster), choice)};
  params.epilogue.tree.alpha.value = product.alpha;
  params.epilogue.tree.beta.value = product.beta;
  params.epilogue.tree.source = {ElementPointer<config.out>::untyped(product.c.data),
                                 product.c.stride, 0};
  const int clusters = Schedule::clusters(params.schedule, resident_clusters(kernel_of<Recipe>()));
  return [params, clusters](cudaStream_t stream) {
    launch(kernel_of<Recipe>(), params, clusters, stream);
  };
}

}  // namespace aisp::tile::device
