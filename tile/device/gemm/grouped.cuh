// From GEMMs of different sizes, or of equal ones anywhere in memory, to one launch: each has its
// own tensor maps in device memory, and the schedule hands out the tiles of all of them.
#pragma once

#include "tile/device/gemm/group_tables.cuh"
#include "tile/device/gemm/plan.cuh"
#include "tile/device/gemm/recipe_table.hpp"

namespace aisp::tile::device {

// An empty function where no group has anything to compute.
template <class Recipe>
PlannedRun plan_grouped(std::span<const GemmProblem> problems,
                        const typename Recipe::Tree::Params& tree = {}, const Raster& raster = {},
                        const Allocate& allocate = {}) {
  constexpr auto config = Recipe::config;
  static_assert(config.store == Store::tma, "each group's own map clips its output");
  PlanMemory plan(allocate);
  const auto groups =
      groups_on_device(problems, description_of(config), group_maps<config>, raster, plan);
  if (groups.schedule.tiles == 0) return {};
  const GemmParams<Recipe> params{
      .operands = {groups.products},
      .epilogue = {.tree = tree_of_problem<typename Recipe::Tree>(problems[0], tree),
                   .out = {groups.products, groups.extents}},
      .schedule = groups.schedule};
  const int clusters = Grouped::clusters(params.schedule, resident_clusters(kernel_of<Recipe>()));
  return FittedGemm<Recipe>{params, clusters, plan.take()}.run();
}

// As a recipe table has it.
template <class Recipe>
PlannedRun plan_grouped_recipe(const GemmGroups& problems, const LaunchChoice& choice,
                               const Allocate& allocate) {
  return plan_grouped<Recipe>(problems, {}, choice.raster, allocate);
}

template <class... Named>
void add_grouped(GroupedTable& table) {
  (table.push_back({description_of_recipe<Named>(Named::name), plan_grouped_recipe<Named>}), ...);
}

}  // namespace aisp::tile::device
