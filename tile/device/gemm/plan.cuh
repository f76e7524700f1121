// From a problem to a launch of one recipe: tensor maps, schedule, grid, workspace. A plan is made
// once and run often; running it only launches. plan_sm90.cuh and plan_sm100.cuh add what differs
// between the architectures; include the one of the recipe.
#pragma once

#include "tile/device/gemm/tensor_maps.cuh"
#include "tile/device/gemm/tree_of_problem.hpp"
#include "tile/device/launch/launch.cuh"
#include "tile/device/launch/plan_memory.hpp"
#include "tile/kernel/gemm_params.cuh"
#include "tile/schedule/persistent.hpp"
#include "tile/schedule/single.hpp"

namespace aisp::tile::device {

// Specialized by plan_sm90.cuh and plan_sm100.cuh for the type of the recipe's configuration:
//   launch()                   entry, threads, shared memory and cluster of the kernel
//   operands(problem)          Recipe::Maps
//   output(problem)            the epilogue's output
//   workspace(slots, memory)   Recipe::Workspace for split-K slices, where there are any
template <class Recipe, class Config = std::remove_cv_t<decltype(Recipe::config)>>
struct GemmKernel;

template <class Recipe>
Kernel<GemmParams<Recipe>> kernel_of() {
  return GemmKernel<Recipe>::launch();
}

template <class Recipe>
KernelDescription description_of_recipe(const char* name = "") {
  KernelDescription kernel = description_of(Recipe::config);
  kernel.name = name;
  kernel.schedule = Recipe::Schedule::kind;
  kernel.block_per_tile = requires { Recipe::Schedule::block_per_tile; };
  kernel.epilogue = abilities_of<typename Recipe::Tree>;
  return kernel;
}

// What a plan decides before it knows where the matrices are: schedule, grid and workspace.
template <class Recipe>
struct FittedGemm {
  GemmParams<Recipe> params{};
  int clusters = 0;
  OwnedMemory memory{};

  PlannedRun run() const {
    return [fitted = *this](cudaStream_t stream) {
      launch(kernel_of<Recipe>(), fitted.params, fitted.clusters, stream);
    };
  }
};

// For as many clusters as the device holds.
template <class Recipe>
FittedGemm<Recipe> fitted_to_device(const TileSpace& tiles, const LaunchChoice& choice,
                                    const Allocate& allocate) {
  using Schedule = typename Recipe::Schedule;
  static_assert(TileSpaceSchedule<Schedule>);
  FittedGemm<Recipe> fitted{};
  auto& schedule = fitted.params.schedule;
  schedule = Schedule::params(tiles, choice);
  const int fit = resident_clusters(kernel_of<Recipe>());
  if constexpr (requires { Schedule::fitted(schedule, fit); })
    schedule = Schedule::fitted(schedule, fit);
  fitted.clusters = Schedule::clusters(schedule, fit);
  if constexpr (requires { fitted.params.workspace; }) {
    PlanMemory memory(allocate);
    fitted.params.workspace =
        GemmKernel<Recipe>::workspace(Schedule::slots(schedule, fitted.clusters), memory);
    fitted.memory = memory.take();
  }
  return fitted;
}

// A plan for a shape, which is then bound to matrices wherever they are: for callers whose buffers
// change from launch to launch. `shape` needs no data. Refuses at the binding a problem that the
// recipe does not take, or of which its tree would not compute everything. Without `allocate` the
// plan has its own workspace, which lives as long as a copy of what is returned.
template <class Recipe>
GemmBind shape_plan(const GemmProblem& shape, const typename Recipe::Tree::Params& tree = {},
                    const LaunchChoice& choice = {}, const Allocate& allocate = {}) {
  auto fitted =
      fitted_to_device<Recipe>(tiles_of<Recipe::config>(shape, choice.raster), choice, allocate);
  return [fitted, tree](const GemmProblem& problem) -> PlannedRun {
    refuse_unless_taken(description_of(Recipe::config), problem);
    auto bound = fitted;
    bound.params.operands = GemmKernel<Recipe>::operands(problem);
    bound.params.epilogue.tree = tree_of_problem<typename Recipe::Tree>(problem, tree);
    bound.params.epilogue.out = GemmKernel<Recipe>::output(problem);
    return bound.run();
  };
}

// A plan for these matrices.
template <class Recipe>
PlannedRun plan(const GemmProblem& problem, const typename Recipe::Tree::Params& tree = {},
                const LaunchChoice& choice = {}, const Allocate& allocate = {}) {
  refuse_unless_taken(description_of(Recipe::config), problem);
  return shape_plan<Recipe>(problem, tree, choice, allocate)(problem);
}

// As a recipe table has it.
template <class Recipe>
PlannedRun plan_recipe(const GemmProblem& problem, const LaunchChoice& choice,
                       const Allocate& allocate) {
  return plan<Recipe>(problem, {}, choice, allocate);
}

}  // namespace aisp::tile::device
