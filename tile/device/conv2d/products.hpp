// The matrix products that a convolution and its gradients are.
#pragma once

#include <algorithm>
#include <numeric>

#include "tile/device/conv2d/problem.hpp"
#include "tile/device/gemm/problem.hpp"

namespace aisp::tile::device {

constexpr std::int64_t whole_blocks(std::int64_t extent, int block) {
  return (extent + block - 1) / block * block;
}

// Product of the (n * p * q, r * s * c) im2col matrix and the filter, for each group. A k-block
// belongs to one tap, so that the channels of each count as whole tiles.
inline GemmProblem product_of(const Conv2dProblem& p, int tile_k) {
  GemmProblem product{.m = p.pixels(), .n = p.group_k(), .batch = p.groups};
  product.k = p.r * p.s * whole_blocks(p.group_c(), tile_k);
  // A C whose rows are all the same.
  product.c = {.data = p.bias, .element = p.out, .batch_stride = p.group_k()};
  product.beta = p.bias ? 1 : 0;
  product.alpha = p.alpha;
  product.d = {.data = p.y, .element = p.out, .stride = p.k, .batch_stride = p.group_k()};
  return product;
}

// A panel of columns belongs to one tap, so that the channels of each count as whole panels.
inline GemmProblem weights_product(const Conv2dProblem& p, int panel) {
  return {.m = p.group_k(),
          .n = p.r * p.s * whole_blocks(p.group_c(), panel),
          .k = p.pixels(),
          .batch = p.groups};
}

// One direction of one class: pixels first, first + stride, ... of dx.
struct DataClassSide {
  int first = 0, pixels = 0;
  int taps = 0;                     // that meet them, 0 or more
  int first_tap = 0, next_tap = 1;  // the last of them, as dy is walked through: -next_tap on
  int lower = 0, dilation = 1;      // of dy: pixel j of the class meets j + lower + dilation * tap
};

inline DataClassSide data_class_side(int remainder, std::int64_t extent, std::int64_t taps,
                                     int stride, int padding, int dilation) {
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  DataClassSide side{.first = remainder};
  side.pixels = static_cast<int>(std::max<std::int64_t>(0, ceil_div(extent - remainder, stride)));
  // Tap r came to pixel h from (h + padding - r * dilation) / stride, where that is whole.
  const int common = std::gcd(stride, dilation), every = stride / common;
  const auto meets = [&](std::int64_t tap) {
    return (remainder + padding - tap * dilation) % stride == 0;
  };
  std::int64_t first = 0;
  while (first < std::min<std::int64_t>(taps, every) && !meets(first)) ++first;
  if (first >= std::min<std::int64_t>(taps, every)) return side;
  side.taps = static_cast<int>(ceil_div(taps - first, every));
  side.next_tap = every;
  side.first_tap = static_cast<int>(first + (side.taps - 1) * every);
  side.dilation = dilation / common;
  side.lower =
      static_cast<int>((remainder + padding - std::int64_t{side.first_tap} * dilation) / stride);
  return side;
}

// The products of a class: of its pixels, over its taps. One without taps has a sum of one k-block
// of zeros, so that dx is written.
inline std::int64_t data_class_k(const Conv2dProblem& p, const DataClassSide& h,
                                 const DataClassSide& w, int tile_k) {
  const std::int64_t taps = std::int64_t{h.taps} * w.taps;
  return taps > 0 ? taps * whole_blocks(p.group_k(), tile_k) : tile_k;
}

// Calls `each` with both sides of every class that has pixels.
template <class Each>
void for_each_data_class(const Conv2dProblem& p, const Each& each) {
  for (int i = 0; i < p.stride.h; ++i)
    for (int j = 0; j < p.stride.w; ++j) {
      const auto h = data_class_side(i, p.h, p.r, p.stride.h, p.padding.h, p.dilation.h);
      const auto w = data_class_side(j, p.w, p.s, p.stride.w, p.padding.w, p.dilation.w);
      if (h.pixels > 0 && w.pixels > 0) each(h, w);
    }
}

}  // namespace aisp::tile::device
