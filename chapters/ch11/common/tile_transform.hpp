// A separable transform of many tiles: every tile is multiplied by one matrix from the left and by
// another from the right, the same two for all. y = left x right; left x is rounded to bf16 before
// the second product.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "lab/judge/gemm_problem.hpp"

namespace aisp::ch11 {

inline constexpr int tile_columns = 128;

inline std::vector<double> bf16_as_doubles(std::span<const std::uint16_t> codes) {
  std::vector<double> values;
  values.reserve(codes.size());
  for (const std::uint16_t code : codes)
    values.push_back(std::bit_cast<float>(std::uint32_t{code} << 16));
  return values;
}

// c (m, tile_columns) = a (m, k) b (k, tile_columns)
inline void multiply_rows(const double* a, const double* b, double* c, std::int64_t m,
                          std::int64_t k) {
  for (std::int64_t i = 0; i < m; ++i) {
    double* row = c + i * tile_columns;
    for (int j = 0; j < tile_columns; ++j) row[j] = 0.0;
    for (std::int64_t step = 0; step < k; ++step) {
      const double factor = a[i * k + step];
      const double* other = b + step * tile_columns;
      for (int j = 0; j < tile_columns; ++j) row[j] += factor * other[j];
    }
  }
}

inline void tile_transform_reference(const lab::Inputs& inputs,
                                     std::vector<std::vector<double>>& expected, std::int64_t tiles,
                                     std::int64_t rows) {
  const auto x = inputs.at(0).as<std::uint16_t>();
  const auto left = bf16_as_doubles(inputs.at(1).as<std::uint16_t>());
  const auto right = bf16_as_doubles(inputs.at(2).as<std::uint16_t>());
  const auto elements = static_cast<std::size_t>(rows * tile_columns);
  base::parallel_ranges(
      tiles,
      [&](std::int64_t tile, std::int64_t last) {
        std::vector<double> between(elements);
        for (; tile < last; ++tile) {
          const auto first = static_cast<std::size_t>(tile) * elements;
          const auto mine = bf16_as_doubles(x.subspan(first, elements));
          multiply_rows(left.data(), mine.data(), between.data(), rows, rows);
          multiply_rows(between.data(), right.data(), expected[0].data() + first, rows,
                        tile_columns);
        }
      },
      1);
}

// The second sum, and what its factors are off by: a rounding to bf16 (uniform within 2^-8 of the
// value, an rms of 1 / sqrt(3) of that) and the error of the first sum, for which its bound is
// taken. The signs of `right` are random, so such errors walk: seven standard deviations.
inline lab::Tolerance tile_transform_tolerance(std::int64_t rows) {
  const double rms = 1.0 / std::sqrt(3.0);  // of numbers uniform in [-1, 1]
  const double between_rms = std::sqrt(static_cast<double>(rows)) * rms * rms;
  const double of_rounding = 0x1p-8 * between_rms / std::sqrt(3.0);
  const double of_sum =
      lab::accumulation(lab::Dtype::f32, rows, rms * rms, lab::matrix_f32).absolute;
  lab::Tolerance tolerance =
      lab::accumulation(lab::Dtype::bf16, tile_columns, between_rms * rms, lab::matrix_f32);
  tolerance.absolute += (1.0 + tolerance.relative) * 7 * std::sqrt(double{tile_columns}) * rms *
                        std::hypot(of_rounding, of_sum);
  return tolerance;
}

// Tiles of (rows, tile_columns) bf16, one behind the other.
inline lab::Problem tile_transform_problem(const std::string& target, const lab::Size& size,
                                           std::int64_t tiles, std::int64_t rows) {
  constexpr std::int64_t most = 1 << 16;
  if (tiles < 1 || tiles > most)
    base::refuse(base::Exit::usage, target, " takes 1 to ", most, " tiles of ", rows, 'x',
                 tile_columns, ": got ", tiles, "; use for example 8192");
  const auto bf16 = [](const char* name, std::vector<std::int64_t> shape) {
    return lab::Tensor{.name = name, .dtype = lab::Dtype::bf16, .shape = std::move(shape)};
  };
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {bf16("x", {tiles, rows, tile_columns}), bf16("left", {rows, rows}),
                    bf16("right", {tile_columns, tile_columns})};
  problem.outputs = {{.tensor = bf16("y", {tiles, rows, tile_columns}),
                      .tolerance = tile_transform_tolerance(rows)}};
  problem.flops = 2.0 * static_cast<double>(tiles * rows) * tile_columns *
                  static_cast<double>(rows + tile_columns);
  problem.bytes = lab::bytes_once(problem);
  problem.unit = lab::Unit::matrix_bf16;
  problem.reference = [tiles, rows](const lab::Inputs& inputs,
                                    std::vector<std::vector<double>>& expected) {
    tile_transform_reference(inputs, expected, tiles, rows);
  };
  return problem;
}

}  // namespace aisp::ch11
