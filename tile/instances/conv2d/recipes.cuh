// The recipes of convolutions by their shape: the product's kernels with TMA's im2col mode in
// front.
#pragma once

#include "tile/device/conv2d/plan.cuh"
#include "tile/device/conv2d/recipes.hpp"
#include "tile/instances/gemm_sm90/recipes.cuh"

namespace aisp::tile::device {

namespace shape {
// Few output channels: the pixels that a filter's tile meets are what L2 has to bring.
inline constexpr GemmConfig ping_pong_256x64{
    .tile_m = 256, .tile_n = 64, .stages = 5, .roles = Roles::ping_pong, .out_buffers = 1};
}  // namespace shape

template <GemmConfig config, class Schedule>
using Convolution =
    GemmRecipe<config, ProductTree<config.out>, Schedule, SharedOperands<config>, Im2colMaps>;

template <Types types>
struct Conv128x256 : Convolution<shaped(types, shape::cooperative_128x256_pair), Persistent> {
  static constexpr const char* name = "cooperative_128x256_pair";
};
template <Types types>
struct Conv128x128 : Convolution<shaped(types, shape::ping_pong_128x128_pair), Persistent> {
  static constexpr const char* name = "ping_pong_128x128_pair";
};
template <Types types>
struct Conv256x64 : Convolution<shaped(types, shape::ping_pong_256x64), Persistent> {
  static constexpr const char* name = "ping_pong_256x64";
};
// Few pixels with a long sum.
template <Types types>
struct ConvSplitK128x128
    : Convolution<shaped(types, shape::cooperative_128x128_pair), SplitKScatter> {
  static constexpr const char* name = "split_k_128x128_pair";
};

template <class Named>
void add_named(ConvTable& table,
               PlannedRun (*plan)(const Conv2dProblem&, const LaunchChoice&, const Allocate&)) {
  table.push_back({description_of_recipe<Named>(Named::name), plan});
}

template <class... Named>
void add_convolutions(ConvTable& table) {
  (add_named<Named>(table, plan_convolution<Named>), ...);
}

}  // namespace aisp::tile::device
