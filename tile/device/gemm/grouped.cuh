// From products of different sizes to one launch: every product has its own tensor maps in device
// memory, and the schedule hands out the tiles of all of them.
#pragma once

#include "tile/device/gemm/group_tables.cuh"
#include "tile/device/gemm/plan.cuh"

namespace aisp::tile::device {

template <GemmConfig config, class Tree>
struct GroupedRecipe
    : GemmRecipe<config, Tree, Grouped, SharedOperands<config>, GroupMaps, GroupOutput> {};

template <GemmConfig config>
ProductMaps product_maps(const GemmProblem& problem) {
  ProductMaps maps{};
  const BatchMaps operands = operand_maps<config>(problem);
  maps.a = operands.a;
  maps.b = operands.b;
  describe_output<config>(maps.out, in_memory(problem.d, problem.m, problem.n, 1));
  return maps;
}

// An empty function where no group has anything to compute.
template <class Recipe>
GemmRun plan_grouped(std::span<const GemmProblem> problems,
                     const typename Recipe::Tree::Params& tree = {}, const Raster& raster = {},
                     const Allocate& allocate = {}) {
  constexpr GemmConfig config = Recipe::config;
  static_assert(config.store == Store::tma, "each group's own map clips its output");
  PlanMemory plan(allocate);
  const auto groups = groups_on_device(problems, config, product_maps<config>, raster, plan);
  if (groups.schedule.tiles == 0) return {};
  const GemmParams<Recipe> params{
      .operands = {groups.products},
      .epilogue = {.tree = tree_of_problem<typename Recipe::Tree>(problems[0], tree),
                   .out = {groups.products, groups.extents}},
      .schedule = groups.schedule};
  const int clusters = Grouped::clusters(params.schedule, resident_clusters(kernel_of<Recipe>()));
  return FittedGemm<Recipe>{params, clusters, plan.take()}.run();
}

}  // namespace aisp::tile::device
