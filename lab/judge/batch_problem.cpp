#include "lab/judge/batch_problem.hpp"

#include <algorithm>
#include <cmath>

#include "base/refuse.hpp"
#include "lab/case/random.hpp"
#include "lab/case/references.hpp"
#include "lab/judge/gemm_problem.hpp"

namespace aisp::lab {
namespace {

constexpr double deviation = 2.0;  // of the hidden layer before max, and of y

struct Extents {
  std::int64_t rows, n, k, groups;
};

Extents extents_of(const std::string& target, const Size& size) {
  const Extents extents{size.dims.at(0), size.dims.at(1), size.dims.at(2), size.dims.at(3)};
  refuse_bad_extents(target, extents.rows, extents.n, extents.k, Dtype::bf16);
  constexpr std::int64_t most = 1024;
  if (extents.groups > most)
    base::refuse(base::Exit::usage, target, " takes up to ", most, " groups: got ", extents.groups);
  return extents;
}

// Uniform in [-range, range] has an rms of range / sqrt(3).
Uniform with_rms(double rms) { return {-std::sqrt(3.0) * rms, std::sqrt(3.0) * rms}; }

Tensor bf16_tensor(const char* name, std::vector<std::int64_t> shape, Uniform values = {}) {
  return {.name = name, .dtype = Dtype::bf16, .shape = std::move(shape), .values = values};
}

double times(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

// The MLP's scales: x uniform in [-1, 1], hidden sums and y of that deviation. Half of the hidden
// layer is zero after max, so the mean of its squares is half.
struct MlpScale {
  double w1_rms, hidden_rms, w2_rms;
};

MlpScale mlp_scale(std::int64_t n, std::int64_t k) {
  const double hidden_rms = deviation / std::sqrt(2.0);
  return {.w1_rms = deviation * std::sqrt(3.0 / static_cast<double>(k)),
          .hidden_rms = hidden_rms,
          .w2_rms = deviation / (hidden_rms * std::sqrt(static_cast<double>(n)))};
}

// The second sum, and what the hidden layer is off by: a bf16 rounding (an error uniform within
// 2^-8 of the value, an rms of 1 / sqrt(3) of that) and the error of the first sum, for which its
// bound is taken. The signs of w2 are random, so n such errors walk: seven standard deviations.
Tolerance mlp_tolerance(std::int64_t n, std::int64_t k) {
  const MlpScale scale = mlp_scale(n, k);
  const double of_rounding = 0x1p-8 * scale.hidden_rms / std::sqrt(3.0);
  const double of_sum =
      accumulation(Dtype::f32, k, scale.w1_rms / std::sqrt(3.0), matrix_f32).absolute;
  Tolerance tolerance = accumulation(Dtype::bf16, n, scale.w2_rms * scale.hidden_rms, matrix_f32);
  tolerance.absolute += (1.0 + tolerance.relative) * 7 * std::sqrt(static_cast<double>(n)) *
                        scale.w2_rms * std::hypot(of_rounding, of_sum);
  return tolerance;
}

// Elements [first, first + rows * columns) of a tensor as a matrix of its own.
HostTensor slice(const HostTensor& whole, std::int64_t first, std::int64_t rows,
                 std::int64_t columns) {
  const auto bytes = bytes_of(whole.what.dtype);
  const auto begin = whole.data.begin() + first * bytes;
  return {{.name = whole.what.name, .dtype = whole.what.dtype, .shape = {rows, columns}},
          {begin, begin + rows * columns * bytes}};
}

HostTensor as_f64(const std::vector<double>& values, std::int64_t rows, std::int64_t columns) {
  const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
  return {{.name = "hidden", .dtype = Dtype::f64, .shape = {rows, columns}},
          {bytes, bytes + values.size() * sizeof(double)}};
}

}  // namespace

Problem mlp_problem(const std::string& target, const Size& size) {
  const auto [rows, n, k, groups] = extents_of(target, size);
  if (rows % groups != 0)
    base::refuse(base::Exit::usage, target, " takes rows in equal micro-batches: ", rows,
                 " rows do not divide by ", groups, "; use ", groups * (rows / groups + 1));
  const MlpScale scale = mlp_scale(n, k);
  Problem problem;
  problem.size = size;
  problem.inputs = {bf16_tensor("x", {rows, k}), bf16_tensor("w1", {n, k}, with_rms(scale.w1_rms)),
                    bf16_tensor("w2", {k, n}, with_rms(scale.w2_rms))};
  problem.outputs = {{.tensor = bf16_tensor("y", {rows, k}), .tolerance = mlp_tolerance(n, k)}};
  problem.flops = 4.0 * times(rows, n, k);
  problem.bytes = bytes_once(problem);
  problem.unit = Unit::matrix_bf16;
  problem.reference = [rows = rows, n = n, k = k](const Inputs& inputs,
                                                  std::vector<std::vector<double>>& expected) {
    std::vector<double> hidden;
    gemm_reference(inputs[0], inputs[1], true, rows, n, k, hidden);
    for (double& value : hidden) value = std::max(value, 0.0);
    gemm_reference(as_f64(hidden, rows, n), inputs[2], true, rows, k, n, expected[0]);
  };
  return problem;
}

std::vector<std::int64_t> group_starts(std::int64_t rows, std::int64_t groups) {
  std::vector<double> sums{0.0};
  for (std::int64_t group = 0; group < groups; ++group) {
    const auto bits = philox(1, 0, static_cast<std::uint64_t>(group))[0];
    sums.push_back(sums.back() + unit_interval(bits) * unit_interval(bits));
  }
  std::vector<std::int64_t> starts;
  for (const double sum : sums)
    starts.push_back(std::llround(static_cast<double>(rows) * (sum / sums.back())));
  return starts;
}

Problem grouped_problem(const std::string& target, const Size& size) {
  const auto [rows, n, k, groups] = extents_of(target, size);
  Problem problem;
  problem.size = size;
  problem.inputs = {bf16_tensor("x", {rows, k}), bf16_tensor("w", {groups, n, k})};
  problem.outputs = {{.tensor = bf16_tensor("y", {rows, n}),
                      .tolerance = accumulation(Dtype::bf16, k, 1.0 / 3, matrix_f32)}};
  problem.flops = 2.0 * times(rows, n, k);
  const auto starts = group_starts(rows, groups);
  // Nobody needs the weights of a group without rows.
  double unread = 0;
  for (std::size_t group = 0; group + 1 < starts.size(); ++group)
    if (starts[group] == starts[group + 1]) unread += 2.0 * static_cast<double>(n * k);
  problem.bytes = bytes_once(problem) - unread;
  problem.unit = Unit::matrix_bf16;
  problem.reference = [n = n, k = k, starts](const Inputs& inputs,
                                             std::vector<std::vector<double>>& expected) {
    std::vector<double> part;
    for (std::size_t group = 0; group + 1 < starts.size(); ++group) {
      const std::int64_t first = starts[group], count = starts[group + 1] - first;
      if (count == 0) continue;
      gemm_reference(slice(inputs[0], first * k, count, k),
                     slice(inputs[1], static_cast<std::int64_t>(group) * n * k, n, k), true, count,
                     n, k, part);
      std::copy(part.begin(), part.end(), expected[0].begin() + first * n);
    }
  };
  return problem;
}

}  // namespace aisp::lab
