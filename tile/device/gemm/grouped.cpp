#include "tile/device/gemm/grouped.hpp"

#include "tile/device/launch/captured_plans.hpp"

namespace aisp::tile::device {
namespace {

using base::Exit;
using base::refuse;

constexpr Raster raster{.along = Raster::Along::n, .group = 8};

// All groups have the types of the first, which the rule sees as one batch of the largest.
std::optional<AsGemm> as_gemm(const KernelDescription& kernel, GemmGroups problems) {
  const GemmProblem& first = problems[0];
  if (first.a.element != kernel.a) return std::nullopt;
  AsGemm all{.gemm = first};
  all.gemm.batch = std::ssize(problems);
  for (const GemmProblem& one : problems) {
    all.gemm.m = std::max(all.gemm.m, one.m);
    all.gemm.n = std::max(all.gemm.n, one.n);
    all.gemm.k = std::max(all.gemm.k, one.k);
  }
  return all;
}

Choice choose_grouped(GemmGroups problems, const Machine& machine) {
  static const auto kernels = descriptions_of(grouped_table());
  Choice choice = choose(
      kernels, machine, [&](const KernelDescription& kernel) { return as_gemm(kernel, problems); });
  choice.launch = {raster, 1};
  return choice;
}

const Recipe<GemmGroups>& recipe_of(const Choice& choice, GemmGroups problems,
                                    const Machine& machine) {
  for (const auto& recipe : grouped_table())
    if (recipe.kernel.name == choice.recipe && runs_on(recipe.kernel, machine) &&
        recipe.kernel.a == problems[0].a.element)
      return recipe;
  if (machine.architecture / 10 != 9 && machine.architecture != 100)
    refuse(Exit::usage, "gemm_grouped needs sm_90 or sm_100, this is sm_", machine.architecture,
           "; call gemm for each group");
  refuse(Exit::usage, "gemm_grouped takes bf16, f16 and e4m3: got ", name_of(problems[0].a.element),
         "; call gemm for each group");
}

// Groups whose sum has no terms get zeros from gemm()'s kernel; the grouped one passes them over.
PlannedRun plan_sums(GemmGroups stated, const Recipe<GemmGroups>& recipe,
                     const LaunchChoice& launch, const Allocate& allocate) {
  std::vector<GemmProblem> problems(stated.begin(), stated.end());
  std::vector<Plan> zeros;
  for (GemmProblem& one : problems)
    if (one.k == 0) {
      zeros.push_back(plan_gemm(one));
      one.m = 0;
    }
  PlannedRun run = recipe.plan(problems, launch, allocate);
  if (zeros.empty()) return run;
  return [zeros, run](cudaStream_t stream) {
    for (const Plan& plan : zeros) plan.run(stream);
    if (run) run(stream);
  };
}

}  // namespace

Plan plan_gemm_grouped(GemmGroups problems, const Allocate& allocate) {
  if (problems.empty()) return nothing_to_run();
  const Machine machine = current_machine();
  const Choice choice = choose_grouped(problems, machine);
  const auto& recipe = recipe_of(choice, problems, machine);
  return {choice, plan_sums(problems, recipe, choice.launch, allocate)};
}

void gemm_grouped(GemmGroups problems, cudaStream_t stream) {
  ReleasedByGraphs::get().free();
  const cudaGraph_t graph = graph_under_capture(stream);
  const auto plan = std::make_shared<const Plan>(plan_gemm_grouped(problems));
  if (graph != nullptr) keep_with_graph(graph, plan);
  plan->run(stream);
  if (graph == nullptr) check_cuda(cudaStreamSynchronize(stream), "gemm_grouped");
}

}  // namespace aisp::tile::device
