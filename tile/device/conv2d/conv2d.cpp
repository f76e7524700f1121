#include "tile/device/conv2d/conv2d.hpp"

#include "tile/device/conv2d/admit.hpp"
#include "tile/device/conv2d/key.hpp"
#include "tile/device/conv2d/products.hpp"
#include "tile/device/conv2d/recipes.hpp"
#include "tile/device/launch/plan_cache.hpp"

namespace aisp::tile::device {
namespace {

const ConvTable& entries() {
  static const ConvTable all = [] {
    ConvTable table;
    for (const auto add : {add_conv2d_bf16, add_conv2d_f16, add_conv2d_narrow,
                           add_conv2d_backward_data, add_conv2d_backward_weights})
      add(table);
    return table;
  }();
  return all;
}

bool takes(const ConvEntry& entry, const Conv2dProblem& problem) {
  return entry.direction == problem.direction && entry.recipe.config.a == problem.element;
}

// The product as the rule sees it. Classes of pixels of backward data count as a batch of equal
// ones.
GemmProblem product_for(const RecipeInfo& recipe, const Conv2dProblem& p) {
  const int tile_k = recipe.config.tile_k;
  if (p.direction == Conv2dDirection::forward) return product_of(p, tile_k);
  if (p.direction == Conv2dDirection::backward_weights)
    return weights_product(p, recipe.config.b_tile().panel_width());
  std::int64_t classes = 0, sum = 0;
  for_each_data_class(p, [&](const DataClassSide& h, const DataClassSide& w) {
    ++classes;
    sum += data_class_k(p, h, w, tile_k);
  });
  return {.m = (p.n * p.h * p.w + classes - 1) / classes,
          .n = p.group_c(),
          .k = (sum + classes - 1) / classes,
          .batch = classes * p.groups};
}

double times(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

// The rule counts the bytes of a product. The filter meets a pixel several times, and memory brings
// it once; where the stride is larger than the filter, only those that the filter meets.
CostModel rule_for(const GemmProblem& product, const Conv2dProblem& p) {
  CostModel rule;
  const bool weights = p.direction == Conv2dDirection::backward_weights;
  const bool data = p.direction == Conv2dDirection::backward_data;
  const double gathered =
      times(product.batch, weights ? product.n : product.m) * static_cast<double>(product.k);
  const double images = data ? times(p.pixels(), p.k) : times(p.n, p.h * p.w * p.c);
  const double others =
      static_cast<double>(product.batch) *
      (times(weights ? product.m : product.n, product.k) + times(product.m, product.n));
  rule.memory_bytes_per_cycle *= (gathered + others) / (std::min(gathered, images) + others);
  // Measured on an H200. Beside gathering copies narrow tiles lose more than those of a product.
  rule.per_column = 24;
  if (weights) {
    rule.most_splits = 64;      // sums over all pixels
    rule.lone_warpgroup = 0.8;  // 492 cycles for a k-block of 64 x 192, not 384
    rule.direct_store = 4;      // every slice stores some of the tile's columns
  }
  return rule;
}

Conv2dPlan plan_without_images(const Conv2dProblem& p) {
  if (p.direction != Conv2dDirection::backward_weights) return {{"nothing", {}}, {}};
  const auto bytes = static_cast<std::size_t>(p.k * p.r * p.s * p.group_c() * bytes_of(p.out));
  return {{"zeros", {}}, [to = p.dw, bytes](cudaStream_t stream) {
            check_cuda(cudaMemsetAsync(to, 0, bytes, stream), "a gradient without images");
          }};
}

}  // namespace

std::vector<RecipeInfo> conv2d_recipes(Conv2dDirection direction) {
  std::vector<RecipeInfo> recipes;
  for (const ConvEntry& entry : entries())
    if (entry.direction == direction) recipes.push_back(entry.recipe);
  return recipes;
}

GemmChoice choose_conv2d(const Conv2dProblem& problem, const Machine& machine) {
  GemmChoice best;
  double least = 0;
  for (const ConvEntry& entry : entries()) {
    if (!takes(entry, problem)) continue;
    const GemmProblem product = product_for(entry.recipe, problem);
    const Estimated now = estimate(entry.recipe, product, machine, rule_for(product, problem));
    if (!best.recipe.empty() && now.cycles >= least) continue;
    best = {entry.recipe.name, now.launch};
    least = now.cycles;
  }
  return best;
}

Conv2dPlan plan_conv2d(const Conv2dProblem& problem, const GemmChoice& choice,
                       const Allocate& allocate) {
  if (!admit(problem)) return plan_without_images(problem);
  if (const Machine machine = current_machine(); machine.architecture / 10 != 9)
    base::refuse(base::Exit::usage, "conv2d needs sm_90, this is sm_", machine.architecture);
  if (choice.launch.splits < 1 || choice.launch.raster.group < 1)
    base::refuse(base::Exit::usage, "conv2d: splits and raster group must be at least 1: got ",
                 choice.launch.splits, " and ", choice.launch.raster.group);
  for (const ConvEntry& entry : entries())
    if (takes(entry, problem) && entry.recipe.name == choice.recipe)
      return {choice, entry.plan(problem, choice.launch, allocate)};
  base::refuse(base::Exit::usage, name_of(problem.direction), " of ", name_of(problem.element),
               ": there is no recipe '", choice.recipe, "'; conv2d_recipes() lists them");
}

Conv2dPlan plan_conv2d(const Conv2dProblem& problem, const Allocate& allocate) {
  if (!admit(problem)) return plan_without_images(problem);
  return plan_conv2d(problem, choose_conv2d(problem, current_machine()), allocate);
}

void conv2d(const Conv2dProblem& problem, cudaStream_t stream) {
  // The workspace of groups and of gradients holds tables of addresses.
  static auto* const plans = new PlanCache<Conv2dPlan>(WorkspaceSharing::none);
  plans->run(ProblemKey(problem), stream,
             [&](const Allocate& allocate) { return plan_conv2d(problem, allocate); });
}

}  // namespace aisp::tile::device
