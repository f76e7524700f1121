#include "tile/device/contract/contract.hpp"

#include "tile/device/contract/empty_modes.hpp"
#include "tile/device/contract/key.hpp"
#include "tile/device/contract/recipes.hpp"
#include "tile/device/launch/plan_cache.hpp"

namespace aisp::tile::device {
namespace {

const ContractionTable& entries() {
  static const ContractionTable all = [] {
    ContractionTable table;
    for (const auto add : {add_contract_bf16, add_contract_f16}) add(table);
    return table;
  }();
  return all;
}

void admit_elements(const ContractionProblem& problem) {
  const auto& [a, b, d, alpha] = problem;
  if (a.element != b.element || (a.element != Element::bf16 && a.element != Element::f16))
    detail::refuse_contraction("A is ", name_of(a.element), " and B ", name_of(b.element),
                               ": both must be bf16, or both f16");
  if (d.element != a.element && d.element != Element::f32)
    detail::refuse_contraction("D is ", name_of(d.element), ": it must be ", name_of(a.element),
                               ", as A, or f32");
}

// What TMA and the kernels want of elements and addresses.
void admit_data(const ContractionProblem& problem) {
  admit_elements(problem);
  const auto& [a, b, d, alpha] = problem;
  for (const auto& [name, tensor] : {std::pair{"A", &a}, {"B", &b}, {"D", &d}}) {
    if (!tensor->data) detail::refuse_contraction(name, " has no data");
    const int aligned = tensor == &d ? bytes_of(d.element) : 16;
    if (reinterpret_cast<std::uintptr_t>(tensor->data) % static_cast<unsigned>(aligned) != 0)
      detail::refuse_contraction(name, " starts at an address that is not a multiple of ", aligned,
                                 " bytes");
  }
}

bool takes(const RecipeInfo& recipe, const Folding& folding, Element element) {
  const GemmConfig& config = recipe.config;
  return config.a == element && config.a_major == folding.a_major &&
         config.b_major == folding.b_major;
}

}  // namespace

std::span<const RecipeInfo> contraction_recipes() {
  static const std::vector<RecipeInfo> all = [] {
    std::vector<RecipeInfo> recipes;
    for (const ContractionEntry& entry : entries()) recipes.push_back(entry.recipe);
    return recipes;
  }();
  return all;
}

GemmProblem product_of(const Folding& folding, const ContractionProblem& problem,
                       const RecipeInfo& recipe) {
  const GemmConfig& config = recipe.config;
  return whole_tiles(tiles_of(folding, problem.d, {config.tile_m, config.tile_n, config.tile_k}),
                     config);
}

GemmChoice choose_contraction(const ContractionProblem& problem, const Machine& machine) {
  const Folding folding = fold(problem);
  GemmChoice best;
  double least = 0;
  for (RecipeInfo recipe : contraction_recipes()) {
    if (!takes(recipe, folding, problem.a.element)) continue;
    const GemmConfig& config = recipe.config;
    const FoldedTiles tiles =
        tiles_of(folding, problem.d, {config.tile_m, config.tile_n, config.tile_k});
    if (!tiles.store.by_tma) recipe.config.store = Store::direct;
    const Estimated now = estimate(recipe, whole_tiles(tiles, config), machine);
    if (!best.recipe.empty() && now.cycles >= least) continue;
    best = {recipe.name, now.launch};
    least = now.cycles;
  }
  return best;
}

ContractionPlan plan_contraction(const ContractionProblem& problem, const GemmChoice& choice) {
  if (has_empty_mode(problem)) return plan_contraction(problem);
  admit_data(problem);
  if (const Machine machine = current_machine(); machine.architecture / 10 != 9)
    detail::refuse_contraction("needs sm_90, this is sm_", machine.architecture);
  if (choice.launch.raster.group < 1)
    detail::refuse_contraction("the raster group must be at least 1: got ",
                               choice.launch.raster.group);
  const Folding folding = fold(problem);
  for (const ContractionEntry& entry : entries())
    if (entry.recipe.name == choice.recipe && takes(entry.recipe, folding, problem.a.element))
      return {choice, entry.plan(problem, folding, choice.launch)};
  detail::refuse_contraction("there is no recipe '", choice.recipe, "' for ",
                             name_of(problem.a.element), " and these modes; contraction_recipes() ",
                             "lists them");
}

ContractionPlan plan_contraction(const ContractionProblem& problem) {
  if (has_empty_mode(problem)) {
    admit_elements(problem);
    return {{has_empty_mode(problem.d) ? "nothing" : "zeros", {}}, plan_empty_modes(problem)};
  }
  admit_data(problem);
  return plan_contraction(problem, choose_contraction(problem, current_machine()));
}

void contract(const ContractionProblem& problem, cudaStream_t stream) {
  static auto* const plans = new PlanCache<ContractionPlan>(WorkspaceSharing::none);
  plans->run(ProblemKey(problem), stream,
             [&](const Allocate&) { return plan_contraction(problem); });
}

}  // namespace aisp::tile::device
