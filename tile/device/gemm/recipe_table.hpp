// The compiled kernels behind gemm(): what each takes and how it is planned. An instance is
// a .cu file that appends its recipes; all are listed in tile/instances/recipe_table.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tile/device/gemm/admit.hpp"
#include "tile/device/launch/launch_choice.hpp"
#include "tile/schedule/work.hpp"

namespace aisp::tile::device {

enum class Family {
  blackwell,   // TMA and tcgen05
  hopper,      // TMA and wgmma
  multistage,  // cp.async and mma.sync: aligned operands, sm_80 on
  general,     // any strides and alignment
};

using tile::ScheduleKind;

// Recipes of one name share a shape; elements and majors tell them apart.
struct RecipeInfo {
  std::string name{};   // no blanks: it is a word of the tuned file
  GemmConfig config{};  // multistage: elements, majors and tile; general: elements and tile
  ScheduleKind schedule = ScheduleKind::whole_tiles;
  Family family = Family::hopper;
  bool reads_c = true;  // else beta must be 0
  int cta_group = 1;    // blackwell: blocks that compute a tile together
};

struct RecipeEntry {
  RecipeInfo recipe{};
  // The problem is one that `refuses` has nothing against.
  GemmRun (*plan)(const GemmProblem&, const LaunchChoice&, const Allocate&) = nullptr;
};

using RecipeTable = std::vector<RecipeEntry>;

// All of them, in the order of the instances.
const RecipeTable& recipe_table();

// Empty, or why kernels of the recipe cannot compute the problem as it is stated.
inline std::string refuses(const RecipeInfo& recipe, const GemmProblem& problem) {
  if (problem.beta != 0 && !recipe.reads_c) return "beta is not 0, and the kernel does not read C";
  for (const std::string& why : {scales_refuse("A", problem.a, recipe.config.scaling),
                                 scales_refuse("B", problem.b, recipe.config.scaling),
                                 scales_refuse("D", problem.d, recipe.config.out_scaling)})
    if (!why.empty()) return why;
  if (recipe.family == Family::hopper || recipe.family == Family::blackwell) {
    const bool shared = problem.a.batch_stride == 0 || problem.b.batch_stride == 0;
    if (problem.batch > 1 && shared) return "TMA wants a stride from matrix to matrix";
    return recipe_refuses(recipe.config, problem);
  }
  const GemmConfig& config = recipe.config;
  if (problem.a.element != config.a || problem.b.element != config.b ||
      problem.d.element != config.out)
    return base::say("the kernel takes ", name_of(config.a), " x ", name_of(config.b), " -> ",
                     name_of(config.out));
  if (recipe.family == Family::general) return "";
  if (problem.a.major != config.a_major || problem.b.major != config.b_major)
    return "the kernel wants another index of A or B contiguous";
  if (problem.d.major != Major::k) return "the kernel stores contiguous rows";
  for (const std::string& why :
       {tma_refuses("A", problem.a, problem.batch), tma_refuses("B", problem.b, problem.batch)})
    if (!why.empty()) return why;
  return "";
}

// The problem as the recipe takes it: as stated, or with A and B exchanged. Nothing where it takes
// neither.
inline std::optional<GemmProblem> oriented(const RecipeInfo& recipe, const GemmProblem& problem) {
  if (refuses(recipe, problem).empty()) return problem;
  const GemmProblem other = swapped(problem);
  if (refuses(recipe, other).empty()) return other;
  return std::nullopt;
}

}  // namespace aisp::tile::device
