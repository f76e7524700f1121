// What the rungs of this target share: the kernels, and the products as the library states them.
#pragma once

#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/batch_problem.hpp"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/device/gemm/plan.cuh"

namespace aisp::ch10::batch {

using tile::device::GemmProblem;
using tile::device::GemmRun;

// The perceptron: tiles narrow enough that 512 rows by 2048 columns have one for each
// multiprocessor.
inline constexpr tile::GemmConfig narrow{.tile_n = 64, .stages = 8};
struct HiddenLayer : tile::GemmRecipe<narrow, tile::Relu<tile::Accumulator>, tile::Persistent> {};
struct OutputLayer : tile::GemmRecipe<narrow, tile::Accumulator, tile::Persistent> {};

// The groups: two blocks side by side along n share their rows, of which there may be few.
inline constexpr tile::GemmConfig paired{
    .tile_n = 128, .stages = 6, .cluster_n = 2, .roles = tile::Roles::ping_pong};
inline constexpr tile::Raster by_columns{.along = tile::Raster::Along::n, .group = 8};

// y (m, n) = x (m, k) times the transpose of w (n, k), bf16, dense rows.
inline GemmProblem product(const void* x, const void* w, const void* y, std::int64_t m,
                           std::int64_t n, std::int64_t k) {
  GemmProblem problem{.m = m, .n = n, .k = k};
  problem.a = {.data = x, .stride = k};
  problem.b = {.data = w, .stride = k};
  problem.d = {.data = y, .stride = n};
  return problem;
}

// Element `index` of a bf16 tensor.
inline const void* at(const void* data, std::int64_t index) {
  return static_cast<const char*>(data) + 2 * index;
}

template <class Recipe>
GemmRun plan(const GemmProblem& problem, const tile::Raster& raster) {
  return tile::device::plan<Recipe>(problem, {}, {.raster = raster});
}

// Both layers for rows [first, first + count); `hidden` is (rows, n).
inline std::vector<GemmRun> plan_layers(const lab::Launch& launch, const void* hidden,
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

// One product for each group; those of groups without rows have m = 0.
inline std::vector<GemmProblem> group_products(const lab::Launch& launch) {
  const std::int64_t n = launch.dim(1), k = launch.dim(2);
  const auto starts = lab::group_starts(launch.dim(0), launch.dim(3));
  std::vector<GemmProblem> products;
  for (std::int64_t group = 0; group < launch.dim(3); ++group) {
    const auto index = static_cast<std::size_t>(group);
    const std::int64_t first = starts[index];
    products.push_back(
        product(at(launch.in<void>(0), first * k), at(launch.in<void>(1), group * n * k),
                at(launch.out<void>(0), first * n), starts[index + 1] - first, n, k));
  }
  return products;
}

// One after the other on the launch's stream.
inline lab::Enqueue in_turn(std::vector<GemmRun> runs) {
  return [runs = std::move(runs)](cudaStream_t stream) {
    for (const GemmRun& run : runs) run(stream);
  };
}

inline bool is_grouped(const lab::Setup& setup) {
  return setup.problem().size.variant == "grouped";
}
inline void* hidden_layer(lab::Setup& setup) {
  const auto& dims = setup.problem().size.dims;
  return setup.scratch(static_cast<std::size_t>(2 * dims.at(0) * dims.at(1)));
}

}  // namespace aisp::ch10::batch
