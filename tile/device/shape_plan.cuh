// A plan for a shape: schedule, grid and workspace are decided once, and the plan is then bound to
// matrices wherever they lie. For callers whose buffers change from launch to launch.
#pragma once

#include "tile/device/blocks.cuh"
#include "tile/device/plan.cuh"
#include "tile/kernel/single_role.cuh"

namespace tile::device {

// Takes a problem of the planned shape. Binding neither allocates nor talks to the device.
using GemmBind = std::function<GemmRun(const GemmProblem&)>;

template <class Recipe>
constexpr bool has_single_role =
    std::is_same_v<typename Recipe::MainLoop, SingleRole<Recipe::config, typename Recipe::Maps>>;

template <class Recipe>
BlockKernel<GemmParams<Recipe>> single_role_kernel() {
  return {gemm_single_role<Recipe>, single_role_threads<Recipe::config>, shared_bytes<Recipe>};
}

template <class Recipe>
int workers_that_fit() {
  if constexpr (has_single_role<Recipe>)
    return resident_blocks(single_role_kernel<Recipe>());
  else
    return resident_workers<Recipe>();
}

template <class Recipe>
void start(const GemmParams<Recipe>& params, int workers, cudaStream_t stream) {
  if constexpr (has_single_role<Recipe>)
    launch_blocks(single_role_kernel<Recipe>(), params, workers, stream);
  else
    launch<Recipe>(params, workers, stream);
}

template <class Recipe>
GemmParams<Recipe> bound_to(GemmParams<Recipe> params, const GemmProblem& problem) {
  constexpr GemmConfig config = Recipe::config;
  admit(problem);
  if (const std::string why = recipe_refuses(config, problem); !why.empty())
    base::refuse(base::Exit::usage, "gemm: ", why);
  params.operands = operand_maps<config>(problem);
  params.epilogue.out = output_of<config>(problem);
  return params;
}

// `shape` needs no data. Refuses at the binding a problem that the recipe does not take.
template <class Recipe>
GemmBind shape_plan(const GemmProblem& shape, const typename Recipe::Tree::Params& tree,
                    const LaunchChoice& choice, const Allocate& allocate) {
  constexpr GemmConfig config = Recipe::config;
  using Schedule = typename Recipe::Schedule;
  GemmParams<Recipe> params{};
  params.epilogue.tree = tree;
  params.schedule = schedule_params<Schedule>(tiles_of<config>(shape, choice.raster), choice);
  const int fit = workers_that_fit<Recipe>();
  if constexpr (requires { Schedule::fitted(params.schedule, fit); })
    params.schedule = Schedule::fitted(params.schedule, fit);
  const int workers = Schedule::workers(params.schedule, fit);
  const int slots = Schedule::slots(params.schedule, workers);
  if (has_single_role<Recipe> && slots > 0)
    base::refuse(base::Exit::usage, "the kernel without roles computes whole tiles, and ", slots,
                 " shares were asked for: choose a schedule that does not split K");
  params.workspace = share_workspace<config>(slots, allocate);
  // Its flags were cleared on the default stream, which a stream of the caller's need not wait for.
  if (slots > 0) check_cuda(cudaStreamSynchronize(nullptr), "workspace of a plan");
  return [params, workers](const GemmProblem& problem) -> GemmRun {
    return [bound = bound_to<Recipe>(params, problem), workers](cudaStream_t stream) {
      start<Recipe>(bound, workers, stream);
    };
  };
}

}  // namespace tile::device
