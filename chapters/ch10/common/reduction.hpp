// The sum over each row of a matrix, a row shared by eight blocks: the problem of the targets
// cluster_group and cluster_group_no_dsmem, and the geometry that all their rungs share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "lab/case/case.hpp"
#include "lab/judge/tolerance.hpp"

namespace aisp::ch10 {

inline constexpr int reduction_threads = 256;
inline constexpr int reduction_loads = 8;  // 16-byte loads that a thread has under way at once
// Blocks that share a row: the largest cluster that every device with clusters takes.
inline constexpr int reduction_parts = 8;

inline void row_sums_reference(const lab::Inputs& inputs,
                               std::vector<std::vector<double>>& expected) {
  const auto x = inputs.at(0).as<float>();
  auto& y = expected.at(0);
  const auto rows = static_cast<std::int64_t>(y.size());
  const std::int64_t columns = static_cast<std::int64_t>(x.size()) / rows;
  const auto sum_rows = [&](std::int64_t row, std::int64_t last) {
    for (; row < last; ++row) {
      double sum = 0.0;
      for (const float value : x.subspan(row * columns, columns)) sum += value;
      y[row] = sum;
    }
  };
  base::parallel_ranges(rows, sum_rows, 1);
}

// An addition is off by up to 2^-24 of its result, uniformly: variance 2^-48 / 3 times the square
// of the result. A partial sum of n elements of random sign and rms 1/sqrt(3) has the square n / 3,
// so every level of a tree over `columns` elements adds columns / 3 of those, and a thread that
// adds n vectors one after another as much as n / 2 levels. Levels: 2 inside a vector, the walk of
// a thread, 8 in its block, 4 over the eight parts. Ten standard deviations: the few sums at the
// top may be larger than their rms.
inline lab::Tolerance row_sum_tolerance(std::int64_t columns) {
  const auto elements = static_cast<double>(columns);
  const double walk = std::ceil(elements / (4.0 * reduction_parts * reduction_threads));
  const double levels = 2.0 + walk / 2.0 + 8.0 + 4.0;
  lab::Tolerance tolerance = lab::rounding(lab::Dtype::f32);
  tolerance.absolute += 10.0 * 0x1p-24 / std::sqrt(3.0) * std::sqrt(elements / 3.0 * levels);
  return tolerance;
}

inline lab::Problem row_sums(const char* target, const lab::Size& size) {
  const std::int64_t rows = size.dims.at(0), columns = size.dims.at(1);
  constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max() / reduction_parts;
  constexpr std::int64_t most_columns = std::int64_t{1} << 30;
  if (rows < 1 || rows > most_rows)
    base::refuse(base::Exit::usage, target, ": a grid holds 1 to ", most_rows, " rows of ",
                 reduction_parts, " blocks: got ", rows, "; use for example 4096");
  if (columns < 4 || columns > most_columns || columns % 4 != 0)
    base::refuse(base::Exit::usage, target,
                 ": columns must be a multiple of 4 for 16-byte loads, at most ", most_columns,
                 ": got ", columns, "; use ",
                 std::clamp<std::int64_t>((columns + 3) / 4 * 4, 4, most_columns));
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"x", lab::Dtype::f32, {rows, columns}, {-1.0, 1.0}}};
  problem.outputs = {{{"sums", lab::Dtype::f32, {rows}, {}}, row_sum_tolerance(columns)}};
  problem.flops = static_cast<double>(rows * (columns - 1));
  problem.bytes = 4.0 * static_cast<double>(rows * columns + rows);
  problem.unit = lab::Unit::fma_f32;
  problem.reference = row_sums_reference;
  return problem;
}

// 2^28 elements, and fewer: the combination weighs the more, the shorter the sum.
inline const std::vector<lab::Size> reduction_full{
    {"", {4096, 65536}}, {"", {256, 65536}}, {"", {32, 65536}}};
// More blocks than 8 multiprocessors hold, parts of unequal length that end inside a thread's
// loads; a part of more than one round of loads; rows with fewer vectors than blocks.
inline const std::vector<lab::Size> reduction_quick{
    {"", {75, 1236}}, {"", {3, 100004}}, {"", {5, 12}}};

}  // namespace aisp::ch10
