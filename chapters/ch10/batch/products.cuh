// The products of this target as the library states them.
#pragma once

#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/batch_problem.hpp"
#include "tile/device/gemm/plan_parts.hpp"

namespace aisp::ch10::batch {

using tile::device::GemmProblem;
using tile::device::PlannedRun;

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
inline lab::Enqueue in_turn(std::vector<PlannedRun> runs) {
  return [runs = std::move(runs)](cudaStream_t stream) {
    for (const PlannedRun& run : runs) run(stream);
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
