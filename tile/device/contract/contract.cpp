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
    for (const auto add :
         {add_contract_bf16, add_contract_f16, add_sm100_contract_bf16, add_sm100_contract_f16})
      add(table);
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

bool takes(const KernelDescription& kernel, const Folding& folding, Element element) {
  return kernel.a == element && kernel.a_major == folding.a_major &&
         kernel.b_major == folding.b_major;
}

}  // namespace

std::span<const KernelDescription> contraction_recipes() {
  static const auto all = descriptions_of(entries());
  return all;
}

GemmProblem product_of(const Folding& folding, const ContractionProblem& problem,
                       const KernelDescription& kernel) {
  return whole_tiles(tiles_of({problem, folding}, kernel), kernel);
}

Choice choose_contraction(const ContractionProblem& problem, const Machine& machine) {
  const Folding folding = fold(problem);
  return choose(contraction_recipes(), machine,
                [&](const KernelDescription& kernel) -> std::optional<AsGemm> {
                  if (!takes(kernel, folding, problem.a.element)) return std::nullopt;
                  const FoldedTiles tiles = tiles_of({problem, folding}, kernel);
                  return AsGemm{.gemm = whole_tiles(tiles, kernel),
                                .may_store_by_tma = tiles.store.by_tma};
                });
}

Plan plan_contraction(const ContractionProblem& problem, const Choice& choice) {
  if (has_empty_mode(problem)) return plan_contraction(problem);
  admit_data(problem);
  const Machine machine = current_machine();
  if (std::ranges::none_of(contraction_recipes(), [&](const KernelDescription& kernel) {
        return runs_on(kernel, machine);
      }))
    detail::refuse_contraction("needs sm_90 or sm_100, this is sm_", machine.architecture);
  if (choice.launch.raster.group < 1)
    detail::refuse_contraction("the raster group must be at least 1: got ",
                               choice.launch.raster.group);
  const Folding folding = fold(problem);
  for (const auto& recipe : entries())
    if (recipe.kernel.name == choice.recipe && runs_on(recipe.kernel, machine) &&
        takes(recipe.kernel, folding, problem.a.element))
      return {choice, recipe.plan({problem, folding}, choice.launch, {})};
  detail::refuse_contraction("there is no recipe '", choice.recipe, "' for ",
                             name_of(problem.a.element), " and these modes; contraction_recipes() ",
                             "lists them");
}

Plan plan_contraction(const ContractionProblem& problem) {
  if (has_empty_mode(problem)) {
    admit_elements(problem);
    return {{has_empty_mode(problem.d) ? "nothing" : "zeros", {}}, plan_empty_modes(problem)};
  }
  admit_data(problem);
  return plan_contraction(problem, choose_contraction(problem, current_machine()));
}

void contract(const ContractionProblem& problem, cudaStream_t stream) {
  static auto* const plans = new PlanCache<Plan>(WorkspaceSharing::none);
  plans->run(ProblemKey(problem), stream,
             [&](const Allocate&) { return plan_contraction(problem); });
}

}  // namespace aisp::tile::device
