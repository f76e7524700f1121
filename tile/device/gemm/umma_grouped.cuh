// From products of different sizes, or of equal ones anywhere in memory, to one launch of a
// Blackwell recipe, as grouped.cuh for Hopper's.
#pragma once

#include "tile/device/gemm/group_tables.cuh"
#include "tile/device/gemm/umma_plan.cuh"

namespace aisp::tile::device {

template <UmmaConfig config, class Tree>
struct UmmaGroupedRecipe
    : UmmaRecipe<config, Tree, Grouped, UmmaOperands<config>, GroupMaps, GroupOutput> {};

template <UmmaConfig config>
ProductMaps umma_product_maps(const GemmProblem& problem) {
  ProductMaps maps{};
  const BatchMaps operands = umma_operand_maps<config>(problem);
  maps.a = operands.a;
  maps.b = operands.b;
  describe_umma_output<config>(maps.out, in_memory(problem.d, problem.m, problem.n, 1));
  return maps;
}

// An empty function where no group has anything to compute. The plan keeps the memory that it got
// itself.
template <class Recipe>
GemmRun plan_umma_grouped(std::span<const GemmProblem> problems,
                          const typename Recipe::Tree::Params& tree = {}, const Raster& raster = {},
                          const Allocate& allocate = {}) {
  constexpr UmmaConfig config = Recipe::config;
  static_assert(config.store == Store::tma, "each group's own map clips its output");
  PlanMemory plan(allocate);
  const auto groups =
      groups_on_device(problems, config.described(), umma_product_maps<config>, raster, plan);
  if (groups.schedule.tiles == 0) return {};
  const UmmaParams<Recipe> params{
      .operands = {groups.products},
      .epilogue = {.tree = tree_of_problem<typename Recipe::Tree>(problems[0], tree),
                   .out = {groups.products, groups.extents}},
      .schedule = groups.schedule};
  const int clusters = Grouped::clusters(params.schedule, resident_clusters(umma_kernel<Recipe>()));
  return [params, clusters, memory = plan.take()](cudaStream_t stream) {
    launch(umma_kernel<Recipe>(), params, clusters, stream);
  };
}

}  // namespace aisp::tile::device
