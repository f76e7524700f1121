// The gradient of the filter: a product with k rows and a column for each tap and channel, whose
// sum runs over all pixels. Few tiles with a long sum: kernels that can split it do.
#pragma once

#include "tile/collective/epilogue/im2col_output.cuh"
#include "tile/device/conv2d/plan.cuh"

namespace aisp::tile::device {

inline FilterColumns filter_columns(const Conv2dProblem& p, int panel) {
  return {.taps = static_cast<int>(p.r * p.s),
          .taps_across = static_cast<int>(p.s),
          .channels = static_cast<int>(p.group_c()),
          .panel = panel};
}

// The problem is one that admit() has nothing against.
template <class Recipe>
PlannedRun plan_backward_weights(const Conv2dProblem& p, const LaunchChoice& choice,
                                 const Allocate& allocate) {
  constexpr auto config = Recipe::config;
  static_assert(config.store == Store::direct, "a fragment finds its own place in dw");
  constexpr OperandTile a = config.a_tile(), b = config.b_tile();
  const GemmProblem product = weights_product(p, b.panel_width());
  auto fitted =
      fitted_to_device<Recipe>(tiles_of<config>(product, choice.raster), choice, allocate);
  const MatrixInMemory dy{.data = p.dy,
                          .contiguous = p.group_k(),
                          .lines = p.pixels(),
                          .batch = p.groups,
                          .line_stride = p.k,
                          .batch_stride = p.group_k()};
  const FilterColumns columns = filter_columns(p, b.panel_width());
  fitted.params.operands = {.a = describe(dy, a),
                            .b = describe_images(images_of_x(p, 0, p.c), b, b.lines()),
                            .walk = walk_over_x(p),
                            .columns = columns,
                            .images = static_cast<int>(p.n)};
  fitted.params.epilogue.tree.right.value = p.alpha;
  fitted.params.epilogue.out = {
      .data = p.dw,
      .as_f32 = p.out == Element::f32,
      .columns = columns,
      .extent = {static_cast<int>(product.m), static_cast<int>(product.n)}};
  return fitted.run();
}

}  // namespace aisp::tile::device
