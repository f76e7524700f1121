// A convolution as a product, and its images and filter as TMA sees them.
#pragma once

#include "tile/collective/load/im2col_loader.cuh"
#include "tile/device/conv2d/problem.hpp"
#include "tile/device/gemm/problem.hpp"
#include "tile/device/launch/tensor_map.hpp"

namespace aisp::tile::device {

// Product of the (n * p * q, r * s * c) im2col matrix and the filter. A k-block belongs to one tap,
// so that the channels of each count as whole tiles.
template <int tile_k>
GemmProblem product_of(const Conv2dProblem& p) {
  GemmProblem product{.m = p.n * p.p() * p.q(), .n = p.k};
  product.k = p.r * p.s * ((p.c + tile_k - 1) / tile_k * tile_k);
  product.c = {.data = p.bias};  // a C whose rows are all the same
  product.beta = p.bias ? 1 : 0;
  product.d = {.data = p.y, .stride = p.k};
  return product;
}

// The images in im2col mode: columns of `tile.rows` pixels with the channels of a k-block each. The
// box that the filter's first tap walks in starts in the padding and ends where the last tap meets
// the padding's end.
inline CUtensorMap describe_images(const Conv2dProblem& p, const OperandTile& tile) {
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
  const cuuint64_t extent[] = {u64(p.c), u64(p.w), u64(p.h), u64(p.n)};
  const cuuint64_t stride[] = {u64(2 * p.c), u64(2 * p.c * p.w), u64(2 * p.c * p.w * p.h)};
  const int lower[] = {-p.padding.w, -p.padding.h};
  const int upper[] = {p.padding.w - static_cast<int>(p.reach_w()),
                       p.padding.h - static_cast<int>(p.reach_h())};
  const cuuint32_t every[] = {1, u32(p.stride.w), u32(p.stride.h), 1};
  CUtensorMap map;
  const CUresult result =
      encode(&map, map_type(tile.element), 4, const_cast<void*>(p.x), extent, stride, lower, upper,
             u32(tile.panel_width()), u32(tile.rows), every, CU_TENSOR_MAP_INTERLEAVE_NONE,
             map_swizzle(tile.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    base::refuse(base::Exit::usage, "conv2d: no tensor map for images ", p.n, 'x', p.h, 'x', p.w,
                 'x', p.c, " with padding ", p.padding.h, " and ", p.padding.w, ", stride ",
                 p.stride.h, " and ", p.stride.w, " (CUresult ", static_cast<int>(result), ")");
  return map;
}

// The configuration is one of Hopper's or of Blackwell's kernels.
template <auto config>
Im2colMaps im2col_maps(const Conv2dProblem& p) {
  constexpr OperandTile a = config.a_tile(), b = config.b_tile();
  const MatrixInMemory filter{.data = p.filter,
                              .contiguous = p.c,
                              .lines = p.k,
                              .batch = p.r * p.s,
                              .line_stride = p.r * p.s * p.c,
                              .batch_stride = p.c};
  return {.a = describe_images(p, a),
          .b = describe(filter, b, b.lines() / config.cluster_m),
          .height = {static_cast<int>(p.p()), p.stride.h, p.padding.h, p.dilation.h},
          .width = {static_cast<int>(p.q()), p.stride.w, p.padding.w, p.dilation.w},
          .filter_width = static_cast<int>(p.s),
          .channels = static_cast<int>(p.c)};
}

}  // namespace aisp::tile::device
