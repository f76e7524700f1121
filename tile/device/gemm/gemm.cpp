#include "tile/device/gemm/gemm.hpp"

#include <map>
#include <mutex>

#include "tile/device/gemm/key.hpp"
#include "tile/device/gemm/recipe_table.hpp"
#include "tile/device/gemm/tuned_device.hpp"
#include "tile/device/launch/plan_cache.hpp"

namespace aisp::tile::device {
namespace {

using base::Exit;
using base::refuse;

// What admit() leaves open because it depends on the kernels.
void admit_elements(const GemmProblem& p) {
  admit_stated(p);
  if (p.beta != 0 && p.c.element != p.d.element)
    refuse(Exit::usage, "gemm: C is ", name_of(p.c.element), " and D ", name_of(p.d.element),
           "; they must be the same where beta is not 0");
  if (p.batch > 1 && p.d.batch_stride == 0 && !is_empty(p))
    refuse(Exit::usage, "gemm: the ", p.batch,
           " matrices of D are the same one; give its "
           "batch_stride in elements");
  const bool narrow = p.d.element == Element::bf16 || p.d.element == Element::f16;
  if (p.has_epilogue() && (!narrow || p.a.element != p.d.element || p.b.element != p.d.element))
    refuse(Exit::usage, "gemm: a bias or an activation goes with bf16 -> bf16 or f16 -> f16: got ",
           name_of(p.a.element), " x ", name_of(p.b.element), " -> ", name_of(p.d.element));
  if (p.bias.data != nullptr && p.bias.along == BiasAlong::none)
    refuse(Exit::usage, "gemm: the bias is along none of D's indices; give Bias::along");
  if (p.d.element == Element::s32 && (p.alpha != 1 || p.beta != 0))
    refuse(Exit::usage,
           "gemm: s32 holds the accumulators as they are, alpha must be 1 and beta 0: got ",
           p.alpha, " and ", p.beta, "; take D as f32 or bf16");
}

// A sum without terms: the kernel that takes any strides stores beta C for D's type, and reads
// neither A nor B.
GemmProblem summing_nothing(const GemmProblem& stated) {
  if (stated.d.scaling != Scaling::none)
    refuse(Exit::usage, "gemm: k is 0, and D would be zeros with ", name_of(stated.d.scaling),
           "; quantize() a matrix of zeros instead");
  GemmProblem problem = without_products(stated);
  for (Matrix* const operand : {&problem.a, &problem.b})
    operand->element = stated.d.element == Element::s32    ? Element::s8
                       : stated.d.element == Element::f16  ? Element::f16
                       : stated.d.element == Element::e4m3 ? Element::e4m3
                                                           : Element::bf16;
  return problem;
}

// A batch that shares B, its rows all at one distance, is one product with more rows. Block scales
// of a batch are those of each matrix by itself; a bias along rows has one matrix's.
GemmProblem folded(const GemmProblem& problem) {
  const auto rows_go_on = [&](const Matrix& matrix) {
    return matrix.major == Major::k && matrix.batch_stride == problem.m * matrix.stride;
  };
  if (problem.batch == 1 || problem.a.scaling != Scaling::none ||
      problem.d.scaling != Scaling::none || problem.b.batch_stride != 0 || !rows_go_on(problem.a) ||
      !rows_go_on(problem.d) || (problem.bias.data && problem.bias.along == BiasAlong::rows) ||
      (problem.beta != 0 && !rows_go_on(problem.c)))
    return problem;
  GemmProblem one = problem;
  one.m = problem.m * problem.batch;
  one.batch = 1;
  return one;
}

std::string types_of(const GemmProblem& p) {
  const auto type = [](const Matrix& matrix) {
    const bool scaled = matrix.scaling != Scaling::none;
    return base::say(name_of(matrix.element),
                     scaled ? base::say(" with ", name_of(matrix.scaling)) : "");
  };
  return base::say(type(p.a), " x ", type(p.b), " -> ", type(p.d));
}

// The tuned choices of a device, read at its first product.
const TunedTable& tuned_table(int device) {
  static std::mutex mutex;
  static std::map<int, TunedTable> tables;
  const std::lock_guard lock(mutex);
  auto found = tables.find(device);
  if (found == tables.end()) {
    const TunedDevice name = tuned_device();
    found = tables.emplace(device, read_tuned(tuned_path(name), name)).first;
  }
  return found->second;
}

// The recipe of that name that takes the problem on this device. Null, and `why`, where there is
// none.
const Recipe<GemmProblem>* find_recipe(const std::string& name, const GemmProblem& problem,
                                       const Machine& machine, std::string& why) {
  why = base::say("there is no recipe '", name, "'; gemm_recipes() lists them");
  bool same_types = false;
  for (const auto& recipe : gemm_table()) {
    const KernelDescription& kernel = recipe.kernel;
    if (kernel.name != name) continue;
    if (!runs_on(kernel, machine)) {
      why = base::say("recipe ", name, " does not run on sm_", machine.architecture);
      continue;
    }
    if (oriented(kernel, problem)) return &recipe;
    const bool types = problem.a.element == kernel.a && problem.b.element == kernel.b &&
                       problem.d.element == kernel.out && problem.a.scaling == kernel.scaling &&
                       problem.b.scaling == kernel.scaling &&
                       problem.d.scaling == kernel.out_scaling;
    // Of several kernels of one name, the one with the problem's epilogue has the better reason.
    const bool epilogue = kernel.epilogue.activation == problem.has_epilogue();
    if (types && (epilogue || !same_types))
      why = base::say("recipe ", name, ": ", refuses(kernel, problem));
    else if (!same_types)
      why = base::say("recipe ", name, " is not compiled for ", types_of(problem));
    same_types |= types;
  }
  return nullptr;
}

// Tuned choices are kept without addresses and strides: one that does not fit is passed over.
Choice decide(const GemmProblem& problem, const Machine& machine) {
  std::string why;
  if (const TunedChoice* tuned = tuned_table(current_device()).find(key_of(problem)))
    if (find_recipe(tuned->recipe, problem, machine, why))
      return {tuned->recipe, {tuned->raster, tuned->splits}};
  const Choice chosen = choose(problem, machine, gemm_recipes());
  if (chosen.recipe.empty())
    refuse(Exit::usage, "gemm: no kernel of the library computes ", types_of(problem), " on sm_",
           machine.architecture);
  return chosen;
}

}  // namespace

std::span<const KernelDescription> gemm_recipes() {
  static const auto all = descriptions_of(gemm_table());
  return all;
}

Plan plan_gemm(const GemmProblem& stated, const Choice& choice, const Allocate& allocate) {
  admit_elements(stated);
  GemmProblem problem = folded(stated);
  if (is_empty(stated)) return {choice, {}};
  if (choice.launch.splits < 1 || choice.launch.raster.group < 1)
    refuse(Exit::usage, "gemm: splits and raster group must be at least 1: got ",
           choice.launch.splits, " and ", choice.launch.raster.group);
  std::string why;
  const auto* recipe = find_recipe(choice.recipe, problem, current_machine(), why);
  if (!recipe) refuse(Exit::usage, "gemm: ", why);
  Choice taken = choice;
  if (problem.k == 0) {
    taken = {"general", {}};
    problem = summing_nothing(problem);
    recipe = find_recipe(taken.recipe, problem, current_machine(), why);
    if (!recipe) refuse(Exit::usage, "gemm: ", why);
  }
  return {taken, recipe->plan(*oriented(recipe->kernel, problem), taken.launch, allocate)};
}

Plan plan_gemm(const GemmProblem& problem, const Allocate& allocate) {
  admit_elements(problem);
  if (is_empty(problem)) return nothing_to_run();
  return plan_gemm(problem, decide(folded(problem), current_machine()), allocate);
}

void gemm(const GemmProblem& problem, cudaStream_t stream) {
  static auto* const plans = new PlanCache<Plan>(WorkspaceSharing::by_shape);
  plans->run(ProblemKey(problem), stream,
             [&](const Allocate& allocate) { return plan_gemm(problem, allocate); });
}

}  // namespace aisp::tile::device
