// What the programs share whose kernels are run with one instruction missing: one product by one
// kernel, by a given number of blocks (or clusters), so few that each has several tiles and goes
// round its ring more than twice. Launched twice: the second finds what the first has left.
#pragma once

#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/device/gemm/plan_sm90.cuh"

namespace aisp::mutation_test {

using namespace gemm_test;
using tile::Sm90Config;
using tile::Sm90Recipe;

inline void* device_memory(std::size_t bytes) {
  void* memory = nullptr;
  require(cudaMalloc(&memory, bytes), "cudaMalloc");
  return memory;
}

// A line is padded, so that a stride is not an extent.
inline Matrix matrix(Element element, Major major, int rows, int columns) {
  return Matrix::of_lines(element, major, 1, rows, columns,
                          padded_line(major == Major::k ? columns : rows, element));
}

struct Operands {
  Matrix a, b, d;
  Size size;

  Operands(const Sm90Config& config, Size size)
      : a(matrix(config.a, config.a_major, size.m, size.k)),
        b(matrix(config.b, config.b_major, size.n, size.k)),
        d(matrix(config.out, config.out_major, size.m, size.n)),
        size(size) {
    a.fill(11, 1);
    b.fill(12, 1);
    for (Matrix* each : {&a, &b, &d}) each->upload();
  }

  tile::device::GemmProblem problem() const {
    const auto described = [](const Matrix& each) {
      const bool by_rows = each.column_stride == 1;
      return tile::device::Matrix{each.data(), each.element,
                                  by_rows ? each.row_stride : each.column_stride,
                                  by_rows ? Major::k : Major::mn, each.batch_stride};
    };
    return {.m = size.m,
            .n = size.n,
            .k = size.k,
            .a = described(a),
            .b = described(b),
            .d = described(d)};
  }
};

template <class Recipe>
void launch_twice(const Operands& operands, int clusters, int splits) {
  constexpr Sm90Config config = Recipe::config;
  using Schedule = typename Recipe::Schedule;
  const tile::device::GemmProblem problem = operands.problem();
  const tile::device::LaunchChoice choice{.splits = splits};
  tile::GemmParams<Recipe> params{
      .operands = tile::device::operand_maps<config>(problem),
      .epilogue = {.tree = {}, .out = tile::device::batch_output<config>(problem)},
      .schedule = Schedule::params(tile::device::tiles_of<config>(problem, choice.raster), choice)};
  tile::device::PlanMemory memory;
  params.workspace =
      tile::device::split_k_workspace<config>(Schedule::slots(params.schedule, clusters), memory);
  if (tile::device::resident_clusters(tile::device::kernel_of<Recipe>()) < clusters)
    require(cudaErrorLaunchOutOfResources, "clusters");
  for (int time = 0; time < 2; ++time)
    tile::device::launch(tile::device::kernel_of<Recipe>(), params, clusters, nullptr);
  require(cudaDeviceSynchronize(), "the kernel");
}

// Every element of D = A B^T against float64. Returns what main() returns.
template <class Recipe>
int run(Size size, int clusters, int splits = 1) {
  Operands operands(Recipe::config, size);
  launch_twice<Recipe>(operands, clusters, splits);
  operands.d.download();
  check("product", size, operands.a, operands.b, operands.d);
  std::puts("ok");
  return 0;
}

}  // namespace aisp::mutation_test
