// The Hopper kernels that both of its rungs launch, one by one or together.
#pragma once

#include "chapters/ch10/batch/products.cuh"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/device/gemm/plan_sm90.cuh"

namespace aisp::ch10::batch {

// The perceptron: tiles narrow enough that 512 rows by 2048 columns have one for each
// multiprocessor.
inline constexpr tile::Sm90Config narrow{.tile_n = 64, .stages = 8};
struct HiddenLayer : tile::Sm90Recipe<narrow, tile::Relu<tile::Accumulator>, tile::Persistent> {};
struct OutputLayer : tile::Sm90Recipe<narrow, tile::Accumulator, tile::Persistent> {};

// The groups: two blocks side by side along n share their rows, of which there may be few.
inline constexpr tile::Sm90Config paired{
    .tile_n = 128, .stages = 6, .cluster_n = 2, .roles = tile::Roles::ping_pong};
template <class Recipe>
PlannedRun plan(const GemmProblem& problem, const tile::Raster& raster) {
  return tile::device::plan<Recipe>(problem, {}, {.raster = raster});
}

// Both layers for rows [first, first + count); `hidden` is (rows, n).
inline std::vector<PlannedRun> plan_layers(const lab::Launch& launch, const void* hidden,
                                           std::int64_t first, std::int64_t count) {
  const std::int64_t n = launch.dim(1), k = launch.dim(2);
  const void* between = at(hidden, first * n);
  return {plan<HiddenLayer>(
              product(at(launch.in<void>(0), first * k), launch.in<void>(1), between, count, n, k),
              {.group = 4}),
          plan<OutputLayer>(
              product(between, launch.in<void>(2), at(launch.out<void>(0), first * k), count, k, n),
              {.group = 4})};
}

}  // namespace aisp::ch10::batch
