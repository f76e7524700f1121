// What the estimates of all architectures count in the same way.
#pragma once

#include <algorithm>
#include <cmath>

#include "tile/device/gemm/problem.hpp"
#include "tile/device/launch/kernel_description.hpp"
#include "tile/device/launch/launch_choice.hpp"
#include "tile/schedule/tile_order.hpp"

namespace aisp::tile::device::detail {

inline std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

// The tiles of a cluster in a problem, and the clusters that run at once.
struct TileCount {
  TileGrid grid{};
  std::int64_t tiles = 0;  // of the whole batch
  int clusters = 1;

  TileCount(const KernelDescription& kernel, const GemmProblem& p, int multiprocessors)
      : grid{static_cast<int>(ceil_div(p.m, kernel.tile_m * kernel.cluster_m)),
             static_cast<int>(ceil_div(p.n, kernel.tile_n * kernel.cluster_n))},
        tiles(std::int64_t{grid.m} * grid.n * p.batch),
        clusters(std::max(1, multiprocessors / kernel.blocks())) {}
};

// Tiles of a wave form a square of elements: it reads the fewest rows and columns. Whole groups of
// rows only, a power of two.
inline Raster square_waves(const KernelDescription& kernel, TileGrid grid, int clusters) {
  const double aspect =
      static_cast<double>(kernel.tile_n * kernel.cluster_n) / (kernel.tile_m * kernel.cluster_m);
  int group = 1;
  while (2 * group <= grid.m && 2.0 * group * group <= clusters * aspect) group *= 2;
  return {Raster::Along::m, group};
}

// Cycles of one SM to apply the epilogue's activation to one element of D: tanh.approx at 16 a
// cycle and the arithmetic around it at 128 a cycle, for both warpgroups together.
inline double activation_cycles(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return 0.01;
    case Activation::gelu:
      return 0.12;
    case Activation::silu:
      return 0.09;
    default:
      return 0;
  }
}

// Bytes of all matrices that a GEMM reads and writes, each once.
inline double memory_bytes(const KernelDescription& kernel, const GemmProblem& p) {
  const auto bits = [](std::int64_t rows, std::int64_t columns, Element element) {
    return static_cast<double>(rows * columns) * bits_of(element);
  };
  const double c = p.beta != 0 ? 2 : 1;  // C is read beside D
  return (bits(p.m, p.k, kernel.a) + bits(p.n, p.k, kernel.b) + c * bits(p.m, p.n, kernel.out)) /
         8 * static_cast<double>(p.batch);
}

}  // namespace aisp::tile::device::detail
