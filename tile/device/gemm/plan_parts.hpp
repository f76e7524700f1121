// What the plans of all families begin with: is the problem taken, how TMA sees its operands, which
// tiles there are.
#pragma once

#include "tile/device/gemm/admit.hpp"
#include "tile/device/launch/launch_choice.hpp"
#include "tile/device/launch/tensor_map.hpp"
#include "tile/schedule/tile_space.hpp"

namespace aisp::tile::device {

// Refuses a problem that a kernel with TMA does not take. What its epilogue computes is checked
// where the epilogue's parameters are made (tree_of_problem).
inline void refuse_unless_taken(const KernelDescription& kernel, const GemmProblem& problem) {
  admit(problem);
  if (const std::string why = tma_kernel_refuses(kernel, problem); !why.empty())
    base::refuse(base::Exit::usage, "gemm: ", why);
}

// An operand in memory as TMA sees it. `rows` are along m or n.
inline MatrixInMemory in_memory(const Matrix& matrix, std::int64_t rows, std::int64_t columns,
                                std::int64_t batch) {
  const bool along_columns = matrix.major == Major::k;
  return {matrix.data,
          along_columns ? columns : rows,
          along_columns ? rows : columns,
          batch,
          matrix.stride,
          matrix.batch_stride};
}

// The tiles of a block, or of a cluster where the configuration has one.
template <auto config>
TileSpace tiles_of(const GemmProblem& p, const Raster& raster) {
  int tile_m = config.tile_m, tile_n = config.tile_n;
  if constexpr (requires { config.cluster_m; }) {
    tile_m *= config.cluster_m;
    tile_n *= config.cluster_n;
  }
  const auto count = [](std::int64_t extent, int tile) {
    return static_cast<int>((extent + tile - 1) / tile);
  };
  return {.grid = {count(p.m, tile_m), count(p.n, tile_n)},
          .batch = static_cast<int>(p.batch),
          .k_blocks = count(p.k, config.tile_k),
          .raster = raster};
}

// Takes a problem of the planned shape. Binding neither allocates nor talks to the device.
using GemmBind = std::function<PlannedRun(const GemmProblem&)>;

}  // namespace aisp::tile::device
