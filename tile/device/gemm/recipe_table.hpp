// The compiled kernels: a description of each and the function that plans a problem for it. Plain,
// fused, grouped, block-scaled, convolution and contraction problems each have a table of this one
// form; an instance is a .cu file that appends its recipes.
#pragma once

#include <span>
#include <vector>

#include "tile/device/gemm/problem.hpp"
#include "tile/device/launch/kernel_description.hpp"
#include "tile/device/launch/launch_choice.hpp"

namespace aisp::tile::device {

template <class Problem>
struct Recipe {
  KernelDescription kernel{};
  // The problem is one that the planner has admitted for this kernel.
  PlannedRun (*plan)(const Problem&, const LaunchChoice&, const Allocate&) = nullptr;
};

template <class Problem>
using RecipeTable = std::vector<Recipe<Problem>>;

template <class Problem>
std::vector<KernelDescription> descriptions_of(const RecipeTable<Problem>& table) {
  std::vector<KernelDescription> all;
  all.reserve(table.size());
  for (const auto& recipe : table) all.push_back(recipe.kernel);
  return all;
}

using GemmTable = RecipeTable<GemmProblem>;

using GemmGroups = std::span<const GemmProblem>;
using GroupedTable = RecipeTable<GemmGroups>;
struct BlockScaledProblem;
using BlockScaledTable = RecipeTable<BlockScaledProblem>;

// Of gemm(), gemm_grouped() and plan_gemm_block_scaled(), in the order of
// tile/instances/recipe_table.cpp.
const GemmTable& gemm_table();
const GroupedTable& grouped_table();
const BlockScaledTable& block_scaled_table();

}  // namespace aisp::tile::device
