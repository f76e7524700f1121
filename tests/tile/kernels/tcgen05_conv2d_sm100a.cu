// Convolutions by Blackwell kernels that a program instantiates itself: one block, pairs, clusters
// and both ways to hand out tiles, with strides, padding, dilation, groups and ragged channels,
// against float64. Prints "ok" and returns 0 when all is right.
#include "tests/tile/kernels/conv2d_on_host.hpp"
#include "tile/device/conv2d/kernels_sm100.cuh"
#include "tile/device/conv2d/plan.cuh"

using namespace aisp;

namespace {

using tile::Sm100Config;
using tile::device::Conv2dProblem;

template <Sm100Config config, class Schedule>
void run(const char* what, const Conv2dProblem& shape, bool with_bias) {
  conv2d_test::Convolution one(shape, with_bias);
  using Recipe = tile::device::Sm100Convolution<config, tile::Linear<config.out>, Schedule>;
  const auto launch = tile::device::plan_convolution<Recipe>(one.problem());
  launch(nullptr);
  launch(nullptr);
  one.check(what);
}

}  // namespace

int main() {
  constexpr Sm100Config block{.tile_n = 64, .stages = 3};
  constexpr Sm100Config pair{.tile_m = 256, .tile_n = 64, .stages = 3, .cta_group = 2};
  const Conv2dProblem same{
      .n = 2, .h = 13, .w = 11, .c = 72, .k = 72, .r = 3, .s = 3, .padding = {1, 1}};
  const Conv2dProblem sparse{.n = 3,
                             .h = 15,
                             .w = 13,
                             .c = 24,
                             .k = 40,
                             .r = 3,
                             .s = 2,
                             .stride = {2, 1},
                             .padding = {2, 1},
                             .dilation = {1, 2}};
  run<block, tile::Persistent>("one block", same, true);
  run<block, tile::LaunchControl>("one block, launch control", sparse, false);
  run<pair, tile::Persistent>("a pair", same, true);
  constexpr Sm100Config shares{
      .tile_m = 256, .tile_n = 64, .stages = 3, .cta_group = 2, .cluster_m = 2};
  run<shares, tile::Persistent>("two pairs share the filter", same, true);
  run<pair, tile::LaunchControl>("a pair, launch control", sparse, false);
  Conv2dProblem grouped = same;
  grouped.groups = 3;
  run<block, tile::LaunchControl>("one block, groups", grouped, true);
  run<shares, tile::LaunchControl>("two pairs share the filter, groups", grouped, false);
  std::puts("ok");
}
