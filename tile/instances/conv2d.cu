// Convolutions: the product's kernels with TMA's im2col mode in front.
#include "tile/device/conv2d/conv2d.hpp"
#include "tile/device/conv2d/plan.cuh"
#include "tile/device/launch/kept_plans.hpp"
#include "tile/instances/recipes_sm90.cuh"

namespace aisp::tile::device {
namespace {

template <GemmConfig config, class Schedule>
using Convolution =
    GemmRecipe<config, Linear<Element::bf16>, Schedule, SharedOperands<config>, Im2colMaps>;

struct Conv128x256 : Convolution<shape::cooperative_128x256_pair, Persistent> {
  static constexpr const char* name = "cooperative_128x256_pair";
};
struct Conv128x128 : Convolution<shape::ping_pong_128x128_pair, Persistent> {
  static constexpr const char* name = "ping_pong_128x128_pair";
};
// Few output channels: the pixels that a filter's tile meets are what L2 has to bring.
constexpr GemmConfig ping_pong_256x64{
    .tile_m = 256, .tile_n = 64, .stages = 5, .roles = Roles::ping_pong, .out_buffers = 1};
struct Conv256x64 : Convolution<ping_pong_256x64, Persistent> {
  static constexpr const char* name = "ping_pong_256x64";
};
// Few pixels with a long sum.
struct ConvSplitK128x128 : Convolution<shape::cooperative_128x128_pair, SplitKScatter> {
  static constexpr const char* name = "split_k_128x128_pair";
};

struct Entry {
  RecipeInfo recipe{};
  GemmRun (*plan)(const Conv2dProblem&, const LaunchChoice&, const Allocate&) = nullptr;
};

template <class Named>
Entry entry_of() {
  static_assert(Named::config.tile_k == 64);
  return {{.name = Named::name, .config = Named::config, .schedule = Named::Schedule::kind},
          plan_convolution<Named>};
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{entry_of<Conv128x256>(), entry_of<Conv128x128>(),
                                      entry_of<Conv256x64>(), entry_of<ConvSplitK128x128>()};
  return all;
}

}  // namespace

std::span<const RecipeInfo> conv2d_recipes() {
  static const std::vector<RecipeInfo> all = [] {
    std::vector<RecipeInfo> recipes;
    for (const Entry& entry : entries()) recipes.push_back(entry.recipe);
    return recipes;
  }();
  return all;
}

GemmChoice choose_conv2d(const Conv2dProblem& problem, const Machine& machine) {
  const GemmProblem product = product_of<64>(problem);
  // The rule counts the bytes of a product. The filter meets a pixel several times, and memory
  // brings it once; where the stride is larger than the filter, only those that the filter meets.
  const auto times = [](std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
  };
  const double gathered = times(product.m, product.k);
  const double images = times(problem.n, problem.h * problem.w * problem.c);
  const double others = times(product.n, product.k) + times(product.m, product.n);
  CostModel rule;
  rule.memory_bytes_per_cycle *= (gathered + others) / (std::min(gathered, images) + others);
  GemmChoice best;
  double least = 0;
  for (const RecipeInfo& recipe : conv2d_recipes()) {
    const Estimated now = estimate(recipe, product, machine, rule);
    if (!best.recipe.empty() && now.cycles >= least) continue;
    best = {recipe.name, now.launch};
    least = now.cycles;
  }
  return best;
}

Conv2dPlan plan_conv2d(const Conv2dProblem& problem, const GemmChoice& choice,
                       const Allocate& allocate) {
  admit(problem);
  if (const Machine machine = current_machine(); machine.architecture / 10 != 9)
    base::refuse(base::Exit::usage, "conv2d needs sm_90, this is sm_", machine.architecture);
  if (choice.launch.splits < 1 || choice.launch.raster.group < 1)
    base::refuse(base::Exit::usage, "conv2d: splits and raster group must be at least 1: got ",
                 choice.launch.splits, " and ", choice.launch.raster.group);
  for (const Entry& entry : entries()) {
    if (entry.recipe.name == choice.recipe)
      return {choice, entry.plan(problem, choice.launch, allocate)};
  }
  base::refuse(base::Exit::usage, "conv2d: there is no recipe '", choice.recipe,
               "'; conv2d_recipes() lists them");
}

Conv2dPlan plan_conv2d(const Conv2dProblem& problem, const Allocate& allocate) {
  admit(problem);
  return plan_conv2d(problem, choose_conv2d(problem, current_machine()), allocate);
}

void conv2d(const Conv2dProblem& problem, cudaStream_t stream) {
  static auto* const kept = new KeptPlans<Conv2dProblem, Conv2dPlan>;
  kept->find_or_make(problem, stream, [](const Conv2dProblem& one) { return plan_conv2d(one); })
      .run(stream);
}

}  // namespace aisp::tile::device
