// The recipes of convolutions by their shape: the product's kernels with TMA's im2col mode in
// front.
#pragma once

#include "tile/device/conv2d/kernels_sm90.cuh"
#include "tile/instances/conv2d/add_recipes.cuh"
#include "tile/instances/gemm_sm90/recipes.cuh"

namespace aisp::tile::device {

namespace shape {
// Few output channels: the pixels that a filter's tile meets are what L2 has to bring.
inline constexpr Sm90Config ping_pong_256x64{
    .tile_m = 256, .tile_n = 64, .stages = 5, .roles = Roles::ping_pong, .out_buffers = 1};
}  // namespace shape

template <Sm90Config config, class Schedule>
using ProductConvolution = Convolution<config, ProductTree<config.out>, Schedule>;

template <Types types>
struct Conv128x256
    : ProductConvolution<shaped(types, shape::cooperative_128x256_pair), Persistent> {
  static constexpr const char* name = "cooperative_128x256_pair";
};
template <Types types>
struct Conv128x128 : ProductConvolution<shaped(types, shape::ping_pong_128x128_pair), Persistent> {
  static constexpr const char* name = "ping_pong_128x128_pair";
};
template <Types types>
struct Conv256x64 : ProductConvolution<shaped(types, shape::ping_pong_256x64), Persistent> {
  static constexpr const char* name = "ping_pong_256x64";
};
// Few pixels with a long sum.
template <Types types>
struct ConvSplitK128x128
    : ProductConvolution<shaped(types, shape::cooperative_128x128_pair), SplitKScatter> {
  static constexpr const char* name = "split_k_128x128_pair";
};

}  // namespace aisp::tile::device
