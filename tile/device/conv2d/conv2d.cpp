#include "tile/device/conv2d/conv2d.hpp"

#include <array>

#include "tile/device/conv2d/admit.hpp"
#include "tile/device/conv2d/key.hpp"
#include "tile/device/conv2d/products.hpp"
#include "tile/device/conv2d/recipes.hpp"
#include "tile/device/launch/plan_cache.hpp"

namespace aisp::tile::device {
namespace {

// The product as the rule sees it. Classes of pixels of backward data count as a batch of equal
// ones.
GemmProblem product_for(const KernelDescription& kernel, const Conv2dProblem& p) {
  const int tile_k = kernel.tile_k;
  if (p.direction == Conv2dDirection::forward) return product_of(p, tile_k);
  if (p.direction == Conv2dDirection::backward_weights) return weights_product(p, kernel.b_panel);
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
Costs costs_for(const GemmProblem& product, const Conv2dProblem& p) {
  Costs costs;
  CostsSm90& rule = costs.sm90;
  const bool weights = p.direction == Conv2dDirection::backward_weights;
  const bool data = p.direction == Conv2dDirection::backward_data;
  const double gathered =
      times(product.batch, weights ? product.n : product.m) * static_cast<double>(product.k);
  const double images = data ? times(p.pixels(), p.k) : times(p.n, p.h * p.w * p.c);
  const double others =
      static_cast<double>(product.batch) *
      (times(weights ? product.m : product.n, product.k) + times(product.m, product.n));
  const double times_less = (gathered + others) / (std::min(gathered, images) + others);
  rule.memory_bytes_per_cycle *= times_less;
  costs.sm100.memory_bytes_per_cycle *= times_less;
  // Measured on an H200. Beside gathering copies narrow tiles lose more than those of a product.
  rule.per_column = 24;
  if (weights) {
    rule.most_splits = 64;      // sums over all pixels
    rule.lone_warpgroup = 0.8;  // 492 cycles for a k-block of 64 x 192, not 384
    rule.direct_store = 4;      // every slice stores some of the tile's columns
  }
  return costs;
}

Plan plan_without_images(const Conv2dProblem& p) {
  if (p.direction != Conv2dDirection::backward_weights) return nothing_to_run();
  const auto bytes = static_cast<std::size_t>(p.k * p.r * p.s * p.group_c() * bytes_of(p.out));
  return {{"zeros", {}}, [to = p.dw, bytes](cudaStream_t stream) {
            check_cuda(cudaMemsetAsync(to, 0, bytes, stream), "a gradient without images");
          }};
}

}  // namespace

const ConvTable& conv2d_table(Conv2dDirection direction) {
  static const std::array<ConvTable, 3> tables = [] {
    std::array<ConvTable, 3> all;
    for (const auto add : {add_conv2d_bf16, add_conv2d_f16, add_conv2d_narrow, add_conv2d_sm100})
      add(all[0]);
    for (const auto add : {add_conv2d_backward_data, add_conv2d_backward_data_sm100}) add(all[1]);
    for (const auto add : {add_conv2d_backward_weights, add_conv2d_backward_weights_sm100})
      add(all[2]);
    return all;
  }();
  return tables[static_cast<std::size_t>(direction)];
}

std::vector<KernelDescription> conv2d_recipes(Conv2dDirection direction) {
  return descriptions_of(conv2d_table(direction));
}

Choice choose_conv2d(const Conv2dProblem& problem, const Machine& machine) {
  return choose(conv2d_recipes(problem.direction), machine,
                [&](const KernelDescription& kernel) -> std::optional<AsGemm> {
                  if (kernel.a != problem.element) return std::nullopt;
                  const GemmProblem product = product_for(kernel, problem);
                  return AsGemm{product, costs_for(product, problem)};
                });
}

Plan plan_conv2d(const Conv2dProblem& problem, const Choice& choice, const Allocate& allocate) {
  if (!admit(problem)) return plan_without_images(problem);
  const Machine machine = current_machine();
  if (machine.architecture / 10 != 9 && machine.architecture != 100)
    base::refuse(base::Exit::usage, "conv2d needs sm_90 or sm_100, this is sm_",
                 machine.architecture);
  if (choice.launch.splits < 1 || choice.launch.raster.group < 1)
    base::refuse(base::Exit::usage, "conv2d: splits and raster group must be at least 1: got ",
                 choice.launch.splits, " and ", choice.launch.raster.group);
  for (const auto& recipe : conv2d_table(problem.direction))
    if (recipe.kernel.a == problem.element && recipe.kernel.name == choice.recipe &&
        runs_on(recipe.kernel, machine))
      return {choice, recipe.plan(problem, choice.launch, allocate)};
  base::refuse(base::Exit::usage, name_of(problem.direction), " of ", name_of(problem.element),
               ": there is no recipe '", choice.recipe, "'; conv2d_recipes() lists them");
}

Plan plan_conv2d(const Conv2dProblem& problem, const Allocate& allocate) {
  if (!admit(problem)) return plan_without_images(problem);
  return plan_conv2d(problem, choose_conv2d(problem, current_machine()), allocate);
}

void conv2d(const Conv2dProblem& problem, cudaStream_t stream) {
  // The workspace of groups and of gradients holds tables of addresses.
  static auto* const plans = new PlanCache<Plan>(WorkspaceSharing::none);
  plans->run(ProblemKey(problem), stream,
             [&](const Allocate& allocate) { return plan_conv2d(problem, allocate); });
}

}  // namespace aisp::tile::device
