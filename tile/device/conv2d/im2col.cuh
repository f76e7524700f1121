// A convolution as a product, and its images and filter as TMA sees them.
#pragma once

#include <vector>

#include "tile/collective/load/im2col_maps.cuh"
#include "tile/device/conv2d/products.hpp"
#include "tile/device/launch/plan_memory.hpp"
#include "tile/device/launch/tensor_map.hpp"

namespace aisp::tile::device {

// Some channels of each pixel of images, as TMA walks over them in im2col mode. Strides count
// elements.
struct ImagesInMemory {
  const void* data = nullptr;
  std::int64_t channels = 0, width = 0, height = 0, images = 0;
  std::int64_t pixel_stride = 0, row_stride = 0, image_stride = 0;
  // The box that the filter's first tap walks in: its first pixel, and its last one as seen from
  // the image's last one.
  HeightWidth lower{}, upper{}, step{1, 1};
};

// Dense images from channel `first` on, of a group.
inline ImagesInMemory dense_images(const void* data, Element element, std::int64_t n,
                                   std::int64_t h, std::int64_t w, std::int64_t all_channels,
                                   std::int64_t first, std::int64_t channels) {
  return {.data = static_cast<const char*>(data) + first * bytes_of(element),
          .channels = channels,
          .width = w,
          .height = h,
          .images = n,
          .pixel_stride = all_channels,
          .row_stride = w * all_channels,
          .image_stride = h * w * all_channels};
}

// Columns of `pixels` pixels with the channels of a panel each.
inline CUtensorMap describe_images(const ImagesInMemory& from, const OperandTile& tile,
                                   int pixels) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check_cuda(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &function, 12000,
                                                cudaEnableDefault, &found),
               "cuTensorMapEncodeIm2col");
    return reinterpret_cast<PFN_cuTensorMapEncodeIm2col_v12000>(function);
  }();
  const auto u64 = [](std::int64_t value) { return static_cast<cuuint64_t>(value); };
  const auto u32 = [](int value) { return static_cast<cuuint32_t>(value); };
  const int bytes = bytes_of(tile.element);
  const cuuint64_t extent[] = {u64(from.channels), u64(from.width), u64(from.height),
                               u64(from.images)};
  const cuuint64_t stride[] = {u64(bytes * from.pixel_stride), u64(bytes * from.row_stride),
                               u64(bytes * from.image_stride)};
  const int lower[] = {from.lower.w, from.lower.h}, upper[] = {from.upper.w, from.upper.h};
  const cuuint32_t every[] = {1, u32(from.step.w), u32(from.step.h), 1};
  CUtensorMap map;
  const CUresult result =
      encode(&map, map_type(tile.element), 4, const_cast<void*>(from.data), extent, stride, lower,
             upper, u32(tile.panel_width()), u32(pixels), every, CU_TENSOR_MAP_INTERLEAVE_NONE,
             map_swizzle(tile.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    base::refuse(base::Exit::usage, "conv2d: no tensor map for images ", from.images, 'x',
                 from.height, 'x', from.width, 'x', from.channels, " from pixel ", from.lower.h,
                 ", ", from.lower.w, " to ", from.upper.h, ", ", from.upper.w, ", stride ",
                 from.step.h, " and ", from.step.w, " (CUresult ", static_cast<int>(result), ")");
  return map;
}

// The pixels of x that the filter's first tap meets: from the padding on to where the last tap
// meets the padding's end.
inline ImagesInMemory images_of_x(const Conv2dProblem& p, std::int64_t first,
                                  std::int64_t channels) {
  ImagesInMemory x = dense_images(p.x, p.element, p.n, p.h, p.w, p.c, first, channels);
  x.lower = {-p.padding.h, -p.padding.w};
  x.upper = {p.padding.h - static_cast<int>(p.reach_h()),
             p.padding.w - static_cast<int>(p.reach_w())};
  x.step = p.stride;
  return x;
}

inline PixelWalk walk_over_x(const Conv2dProblem& p) {
  return {.height = {static_cast<int>(p.p()), p.stride.h, p.padding.h, p.dilation.h},
          .width = {static_cast<int>(p.q()), p.stride.w, p.padding.w, p.dilation.w}};
}

// The filters of a group as (tap, k, c).
inline MatrixInMemory taps_of_filter(const Conv2dProblem& p, std::int64_t group) {
  const std::int64_t line = p.r * p.s * p.group_c();
  return {
      .data = static_cast<const char*>(p.filter) + group * p.group_k() * line * bytes_of(p.element),
      .contiguous = p.group_c(),
      .lines = p.group_k(),
      .batch = p.r * p.s,
      .line_stride = line,
      .batch_stride = p.group_c()};
}

// The configuration is one of Hopper's or of Blackwell's kernels.
template <auto config>
Im2colMaps im2col_maps(const Conv2dProblem& p, std::int64_t group) {
  constexpr OperandTile a = config.a_tile(), b = config.b_tile();
  return {.a = describe_images(images_of_x(p, group * p.group_c(), p.group_c()), a, a.rows),
          .b = describe(taps_of_filter(p, group), b, b.lines() / config.cluster_m),
          .gather = {.walk = walk_over_x(p),
                     .taps_across = static_cast<int>(p.s),
                     .channels = static_cast<int>(p.group_c()),
                     .next_row = static_cast<int>(p.s)}};
}

// One table in the plan's memory where there are several groups.
template <auto config>
Im2colMaps im2col_maps(const Conv2dProblem& p, PlanMemory& plan) {
  Im2colMaps maps = im2col_maps<config>(p, std::int64_t{0});
  if (p.groups == 1) return maps;
  std::vector<Im2colMaps> of_groups{maps};
  while (std::ssize(of_groups) < p.groups)
    of_groups.push_back(im2col_maps<config>(p, std::int64_t{std::ssize(of_groups)}));
  maps.of_batch = static_cast<const Im2colMaps*>(
      plan.copy_of(of_groups.data(), of_groups.size() * sizeof(Im2colMaps)));
  return maps;
}

}  // namespace aisp::tile::device
