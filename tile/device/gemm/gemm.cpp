#include "tile/device/gemm/gemm.hpp"

#include <map>
#include <mutex>

#include "tile/device/gemm/key.hpp"
#include "tile/device/gemm/tuned_device.hpp"
#include "tile/device/launch/plan_cache.hpp"

namespace aisp::tile::device {
namespace {

using base::Exit;
using base::refuse;

int current_device() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

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
// of a batch are those of each matrix by itself.
GemmProblem folded(const GemmProblem& problem) {
  const auto rows_go_on = [&](const Matrix& matrix) {
    return matrix.major == Major::k && matrix.batch_stride == problem.m * matrix.stride;
  };
  if (problem.batch == 1 || problem.a.scaling != Scaling::none ||
      problem.d.scaling != Scaling::none || problem.b.batch_stride != 0 || !rows_go_on(problem.a) ||
      !rows_go_on(problem.d) || (problem.beta != 0 && !rows_go_on(problem.c)))
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

// The entry of that name that takes the problem on this device. Null, and `why`, where there is
// none.
const RecipeEntry* find_entry(const std::string& name, const GemmProblem& problem,
                              const Machine& machine, std::string& why) {
  why = base::say("there is no recipe '", name, "'; gemm_recipes() lists them");
  bool same_types = false;
  for (const RecipeEntry& entry : recipe_table()) {
    const GemmConfig& config = entry.recipe.config;
    if (entry.recipe.name != name) continue;
    if (!runs_on(entry.recipe, machine)) {
      why = base::say("recipe ", name, " does not run on sm_", machine.architecture);
      continue;
    }
    if (oriented(entry.recipe, problem)) return &entry;
    const bool types = problem.a.element == config.a && problem.b.element == config.b &&
                       problem.d.element == config.out && problem.a.scaling == config.scaling &&
                       problem.b.scaling == config.scaling &&
                       problem.d.scaling == config.out_scaling;
    if (types)
      why = base::say("recipe ", name, ": ", refuses(entry.recipe, problem));
    else if (!same_types)
      why = base::say("recipe ", name, " is not compiled for ", types_of(problem));
    same_types |= types;
  }
  return nullptr;
}

// Tuned choices are kept without addresses and strides: one that does not fit is passed over.
GemmChoice decide(const GemmProblem& problem, const Machine& machine) {
  std::string why;
  if (const TunedChoice* tuned = tuned_table(current_device()).find(key_of(problem)))
    if (find_entry(tuned->recipe, problem, machine, why))
      return {tuned->recipe, {tuned->raster, tuned->splits}};
  const GemmChoice chosen = choose(problem, machine, gemm_recipes());
  if (chosen.recipe.empty())
    refuse(Exit::usage, "gemm: no kernel of the library computes ", types_of(problem), " on sm_",
           machine.architecture);
  return chosen;
}

}  // namespace

Machine current_machine() {
  const int device = current_device();
  Machine machine;
  int major = 0, minor = 0;
  check_cuda(
      cudaDeviceGetAttribute(&machine.multiprocessors, cudaDevAttrMultiProcessorCount, device),
      "number of multiprocessors");
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
             "compute capability");
  check_cuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
             "compute capability");
  machine.architecture = 10 * major + minor;
  return machine;
}

std::span<const RecipeInfo> gemm_recipes() {
  static const std::vector<RecipeInfo> all = [] {
    std::vector<RecipeInfo> recipes;
    for (const RecipeEntry& entry : recipe_table()) recipes.push_back(entry.recipe);
    return recipes;
  }();
  return all;
}

GemmPlan plan_gemm(const GemmProblem& stated, const GemmChoice& choice, const Allocate& allocate) {
  admit_elements(stated);
  GemmProblem problem = folded(stated);
  if (is_empty(stated)) return {choice, {}};
  if (choice.launch.splits < 1 || choice.launch.raster.group < 1)
    refuse(Exit::usage, "gemm: splits and raster group must be at least 1: got ",
           choice.launch.splits, " and ", choice.launch.raster.group);
  std::string why;
  const RecipeEntry* entry = find_entry(choice.recipe, problem, current_machine(), why);
  if (!entry) refuse(Exit::usage, "gemm: ", why);
  GemmChoice taken = choice;
  if (problem.k == 0) {
    taken = {"general", {}};
    problem = summing_nothing(problem);
    entry = find_entry(taken.recipe, problem, current_machine(), why);
    if (!entry) refuse(Exit::usage, "gemm: ", why);
  }
  return {taken, entry->plan(*oriented(entry->recipe, problem), taken.launch, allocate)};
}

GemmPlan plan_gemm(const GemmProblem& problem, const Allocate& allocate) {
  admit_elements(problem);
  if (is_empty(problem)) return {{"nothing", {}}, {}};
  return plan_gemm(problem, decide(folded(problem), current_machine()), allocate);
}

void gemm(const GemmProblem& problem, cudaStream_t stream) {
  static auto* const plans = new PlanCache<GemmPlan>(WorkspaceSharing::by_shape);
  plans->run(ProblemKey(problem), stream,
             [&](const Allocate& allocate) { return plan_gemm(problem, allocate); });
}

}  // namespace aisp::tile::device
