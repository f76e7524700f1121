// From a problem to a launch of one recipe: tensor maps, schedule, grid, workspace. A plan is made
// once and run often; running it only launches.
#pragma once

#include "tile/device/gemm/plan_parts.hpp"
#include "tile/device/gemm/tree_of_problem.hpp"
#include "tile/device/launch/launch.cuh"
#include "tile/device/launch/plan_memory.hpp"
#include "tile/kernel/single_role.cuh"
#include "tile/schedule/persistent.hpp"
#include "tile/schedule/single.hpp"
#include "tile/schedule/split_k.hpp"
#include "tile/schedule/stream_k.hpp"

namespace aisp::tile::device {

template <GemmConfig config>
BatchMaps operand_maps(const GemmProblem& p) {
  constexpr OperandTile a = config.a_tile(), b = config.b_tile();
  return {describe(in_memory(p.a, p.m, p.k, p.batch), a, a.lines() / config.cluster_n),
          describe(in_memory(p.b, p.n, p.k, p.batch), b, b.lines() / config.cluster_m)};
}

// One map for each width that the epilogue's subtiles have.
template <GemmConfig config>
void describe_output(CUtensorMap (&maps)[4], const MatrixInMemory& out) {
  for (int first = 0; first < config.tile_n; first += config.subtile(first).k) {
    const OperandTile subtile = config.subtile(first);
    maps[map_number(config, subtile)] = describe(out, subtile, subtile.lines());
  }
}

template <GemmConfig config>
BatchOutput output_of(const GemmProblem& p) {
  BatchOutput out{};
  if (config.store == Store::tma)
    describe_output<config>(out.maps, in_memory(p.d, p.m, p.n, p.batch));
  out.data = const_cast<void*>(p.d.data);
  out.stride = p.d.stride;
  out.batch_stride = p.d.batch_stride;
  out.extent = {static_cast<int>(p.m), static_cast<int>(p.n)};
  return out;
}

// Accumulators of split-K slices, behind the flags that say they are there; flags begin as 0.
template <GemmConfig config>
SplitKWorkspace split_k_workspace(int slots, PlanMemory& plan) {
  if (slots == 0) return {};
  const std::size_t flag_bytes =
      (static_cast<std::size_t>(slots) * SplitKSlots<config>::warpgroups * 4 + 255) / 256 * 256;
  const std::size_t accumulator_bytes =
      static_cast<std::size_t>(slots) * SplitKSlots<config>::bytes;
  char* memory = static_cast<char*>(plan.cleared(flag_bytes + accumulator_bytes, flag_bytes));
  return {memory + flag_bytes, reinterpret_cast<std::uint32_t*>(memory)};
}

// The start of dynamic shared memory is rounded up to the swizzle's 1024 bytes.
template <class Recipe>
constexpr std::size_t shared_bytes = sizeof(GemmShared<Recipe>) + 1024;

template <class Recipe>
Kernel<GemmParams<Recipe>> kernel_of() {
  if constexpr (!keeps_rules<Recipe::config>)
    return {};  // the compile has ended with the broken rule; a kernel would only add to its
                // message
  else if constexpr (Recipe::MainLoop::loads_operands)
    return {gemm_single_role<Recipe>, single_role_threads<Recipe::config>, shared_bytes<Recipe>};
  else
    return {gemm_warp_specialized<Recipe>, Recipe::config.threads(), shared_bytes<Recipe>,
            Recipe::config.blocks()};
}

// What a plan decides before it knows where the matrices lie: schedule, grid and workspace.
template <class Recipe>
struct FittedGemm {
  GemmParams<Recipe> params{};
  int clusters = 0;
  OwnedMemory memory{};

  GemmRun run() const {
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
  const int slots = Schedule::slots(schedule, fitted.clusters);
  if (Recipe::MainLoop::loads_operands && slots > 0)
    base::refuse(base::Exit::usage, "the kernel without roles computes whole tiles, and ", slots,
                 " split-K slices were asked for: choose a schedule that does not split K");
  PlanMemory memory(allocate);
  fitted.params.workspace = split_k_workspace<Recipe::config>(slots, memory);
  fitted.memory = memory.take();
  return fitted;
}

// A plan for a shape, which is then bound to matrices wherever they lie: for callers whose buffers
// change from launch to launch. `shape` needs no data. Refuses at the binding a problem that the
// recipe does not take, or whose alpha, beta or C its tree would not compute. Without `allocate`
// the plan has its own workspace, which lives as long as a copy of what is returned.
template <class Recipe>
GemmBind shape_plan(const GemmProblem& shape, const typename Recipe::Tree::Params& tree = {},
                    const LaunchChoice& choice = {}, const Allocate& allocate = {}) {
  auto fitted =
      fitted_to_device<Recipe>(tiles_of<Recipe::config>(shape, choice.raster), choice, allocate);
  return [fitted, tree](const GemmProblem& problem) -> GemmRun {
    constexpr GemmConfig config = Recipe::config;
    refuse_unless_taken<config>(problem);
    auto bound = fitted;
    bound.params.operands = operand_maps<config>(problem);
    bound.params.epilogue.tree = tree_of_problem<typename Recipe::Tree>(problem, tree);
    bound.params.epilogue.out = output_of<config>(problem);
    return bound.run();
  };
}

// A plan for these matrices.
template <class Recipe>
GemmRun plan(const GemmProblem& problem, const typename Recipe::Tree::Params& tree = {},
             const LaunchChoice& choice = {}, const Allocate& allocate = {}) {
  refuse_unless_taken<Recipe::config>(problem);
  return shape_plan<Recipe>(problem, tree, choice, allocate)(problem);
}

}  // namespace aisp::tile::device
