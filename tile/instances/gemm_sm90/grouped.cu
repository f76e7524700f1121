// Grouped products: one kernel for each type.
#include "tile/device/gemm/grouped.cuh"
#include "tile/device/gemm/grouped.hpp"
#include "tile/device/launch/captured_plans.hpp"
#include "tile/instances/gemm_sm100/grouped.hpp"
#include "tile/instances/gemm_sm90/recipes.cuh"

namespace aisp::tile::device {
namespace {

// Groups may have few rows: two blocks side by side along n waste none of them.
constexpr GemmConfig shape_of_groups{
    .tile_n = 128, .stages = 6, .cluster_n = 2, .roles = Roles::ping_pong};

template <Element in, Element out>
struct PingPong128x128Grouped
    : GroupedRecipe<shaped({.a = in, .b = in, .out = out}, shape_of_groups), Linear<out>> {};

using Bf16Grouped = PingPong128x128Grouped<Element::bf16, Element::bf16>;
using F16Grouped = PingPong128x128Grouped<Element::f16, Element::f16>;
using E4m3Grouped = PingPong128x128Grouped<Element::e4m3, Element::bf16>;

constexpr Raster raster{.along = Raster::Along::n, .group = 8};

template <class Recipe>
GemmRun plan_type(std::span<const GemmProblem> problems, const Allocate& allocate) {
  return plan_grouped<Recipe>(problems, {}, raster, allocate);
}

GemmRun plan_sm90(std::span<const GemmProblem> problems, const Allocate& allocate) {
  switch (problems[0].a.element) {
    case Element::bf16:
      return plan_type<Bf16Grouped>(problems, allocate);
    case Element::f16:
      return plan_type<F16Grouped>(problems, allocate);
    default:
      return plan_type<E4m3Grouped>(problems, allocate);
  }
}

// Groups whose sum has no terms get zeros from gemm()'s kernel; the grouped one passes them over.
GemmRun plan_sums(std::span<const GemmProblem> stated, bool blackwell, const Allocate& allocate) {
  std::vector<GemmProblem> problems(stated.begin(), stated.end());
  std::vector<GemmPlan> zeros;
  for (GemmProblem& one : problems)
    if (one.k == 0) {
      zeros.push_back(plan_gemm(one));
      one.m = 0;
    }
  GemmRun run =
      blackwell ? plan_grouped_sm100(problems, raster, allocate) : plan_sm90(problems, allocate);
  if (zeros.empty()) return run;
  return [zeros, run](cudaStream_t stream) {
    for (const GemmPlan& plan : zeros) plan.run(stream);
    if (run) run(stream);
  };
}

}  // namespace

GemmPlan plan_gemm_grouped(std::span<const GemmProblem> problems, const Allocate& allocate) {
  const int architecture = problems.empty() ? 90 : current_machine().architecture;
  const bool blackwell = architecture == 100;
  const GemmChoice choice{blackwell ? "umma_128x128_grouped" : "ping_pong_128x128_grouped",
                          {raster, 1}};
  if (problems.empty()) return {choice, {}};
  if (!blackwell && architecture / 10 != 9)
    base::refuse(base::Exit::usage, "gemm_grouped needs sm_90 or sm_100, this is sm_", architecture,
                 "; call gemm for each group");
  const Element element = problems[0].a.element;
  if (element != Element::bf16 && element != Element::f16 && element != Element::e4m3)
    base::refuse(base::Exit::usage, "gemm_grouped takes bf16, f16 and e4m3: got ", name_of(element),
                 "; call gemm for each group");
  return {choice, plan_sums(problems, blackwell, allocate)};
}

void gemm_grouped(std::span<const GemmProblem> problems, cudaStream_t stream) {
  ReleasedByGraphs::get().free();
  const cudaGraph_t graph = graph_under_capture(stream);
  const auto plan = std::make_shared<const GemmPlan>(plan_gemm_grouped(problems));
  if (graph != nullptr) keep_with_graph(graph, plan);
  plan->run(stream);
  if (graph == nullptr) check_cuda(cudaStreamSynchronize(stream), "gemm_grouped");
}

}  // namespace aisp::tile::device
