// The gradient of x. Pixel (h, w) of dx is the sum over the taps that met it, of dy where they did
// and of the filter's column for c. With a stride of 1 that is a convolution of dy with mirrored
// taps. With larger ones the pixels fall into stride.h * stride.w classes by their remainders: to
// those of a class the same taps came, from pixels of dy side by side, so that each class is a
// convolution with a stride of 1 over some of the taps. All classes, of all groups, are the
// products of one launch.
#pragma once

#include "tile/collective/epilogue/im2col_output.cuh"
#include "tile/device/conv2d/plan.cuh"
#include "tile/device/gemm/group_tables.cuh"

namespace aisp::tile::device {

template <auto config>
Im2colMaps data_class_maps(const Conv2dProblem& p, const DataClassSide& h, const DataClassSide& w,
                           std::int64_t group) {
  constexpr OperandTile a = config.a_tile(), b = config.b_tile();
  const bool empty = h.taps == 0 || w.taps == 0;
  ImagesInMemory dy =
      dense_images(p.dy, p.element, p.n, p.p(), p.q(), p.k, group * p.group_k(), p.group_k());
  dy.lower = {empty ? 0 : h.lower, empty ? 0 : w.lower};
  dy.upper = {static_cast<int>(h.pixels - p.p()) + dy.lower.h,
              static_cast<int>(w.pixels - p.q()) + dy.lower.w};
  const int taps = static_cast<int>(p.r * p.s), across = static_cast<int>(p.s);
  Im2colGather gather{.walk = {.height = {h.pixels, 1, -dy.lower.h, h.dilation},
                               .width = {w.pixels, 1, -dy.lower.w, w.dilation}},
                      .taps_across = std::max(1, w.taps),
                      .channels = static_cast<int>(p.group_k()),
                      .first_tap = h.first_tap * across + w.first_tap,
                      .next_column = -w.next_tap,
                      .next_row = -h.next_tap * across};
  if (empty) gather.walk.first_image = static_cast<int>(p.n), gather.first_tap = taps;
  return {.a = describe_images(dy, a, a.rows),
          .b = describe(taps_of_filter(p, group), b, b.lines() / config.cluster_m),
          .gather = gather};
}

// The class's pixels of dx as images of their own.
template <auto config>
PixelImages data_class_output(const Conv2dProblem& p, const DataClassSide& h,
                              const DataClassSide& w, std::int64_t group) {
  constexpr OperandTile subtile = config.subtile(0);
  const std::int64_t first = (h.first * p.w + w.first) * p.c + group * p.group_c();
  ImagesInMemory dx =
      dense_images(p.dx, config.out, p.n, h.pixels, w.pixels, p.c, first, p.group_c());
  dx.pixel_stride = p.stride.w * p.c;
  dx.row_stride = p.stride.h * p.w * p.c;
  dx.image_stride = p.h * p.w * p.c;
  return {.map = describe_images(dx, subtile, subtile.rows),
          .extent = {static_cast<int>(p.n * h.pixels * w.pixels), static_cast<int>(p.group_c())},
          .height = h.pixels,
          .width = w.pixels};
}

// The problem is one that admit() has nothing against.
template <class Recipe>
PlannedRun plan_backward_data(const Conv2dProblem& p, const LaunchChoice& choice,
                              const Allocate& allocate) {
  constexpr auto config = Recipe::config;
  static_assert(config.b_major == Major::mn, "the filter is contiguous along c, the columns");
  std::vector<Im2colMaps> maps;
  std::vector<PixelImages> outputs;
  std::vector<ProductSize> sizes;
  for_each_data_class(p, [&](const DataClassSide& h, const DataClassSide& w) {
    for (std::int64_t group = 0; group < p.groups; ++group) {
      maps.push_back(data_class_maps<config>(p, h, w, group));
      outputs.push_back(data_class_output<config>(p, h, w, group));
      sizes.push_back({outputs.back().extent.rows, outputs.back().extent.columns,
                       data_class_k(p, h, w, config.tile_k)});
    }
  });
  const GroupRecords records = group_records(
      sizes, {.m = config.tile_m * config.cluster_m, .n = config.tile_n, .k = config.tile_k});
  GroupTables tables;
  const std::size_t maps_at = tables.add(maps), outputs_at = tables.add(outputs);
  const std::size_t groups_at = tables.add(records.groups);
  PlanMemory plan(allocate);
  const char* memory = tables.upload(plan);
  GemmParams<Recipe> params{};
  params.operands.of_batch = reinterpret_cast<const Im2colMaps*>(memory + maps_at);
  params.epilogue.out.products = reinterpret_cast<const PixelImages*>(memory + outputs_at);
  params.schedule =
      records.params(reinterpret_cast<const GroupTiles*>(memory + groups_at), choice.raster);
  params.epilogue.tree.right.value = p.alpha;
  const int clusters = Grouped::clusters(params.schedule, resident_clusters(kernel_of<Recipe>()));
  return FittedGemm<Recipe>{params, clusters, plan.take()}.run();
}

}  // namespace aisp::tile::device
