#include "lab/judge/epilogue_problem.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "lab/judge/gemm_problem.hpp"

namespace aisp::lab {
namespace {

constexpr double product_deviation = 2.0;  // of the product, by the choice of b's range
constexpr double largest_bias = 1.0;       // bias is uniform in [-1, 1]
constexpr double largest_scale = 64.0;     // large values of silu times that saturate e4m3

// Eight standard deviations: passed once in 10^15 elements.
constexpr double largest_v = 8 * product_deviation + largest_bias;

// Uniform in [-1, 1] times uniform in [-r, r] has an rms of r / 3; a sum of k has sqrt(k) of that.
double range_of_b(std::int64_t k) {
  return 3 * product_deviation / std::sqrt(static_cast<double>(k));
}

double silu(double v) { return v / (1.0 + std::exp(-v)); }

// Error of v: that of the sum, and one f32 rounding for the bias.
double error_of_v(std::int64_t k) {
  return accumulation(Dtype::f32, k, range_of_b(k) / 3, matrix_f32).absolute + largest_v * 0x1p-24;
}

// Error of silu(v) before d is rounded. SiLU's slope is at most 1.1. The cheapest way to compute it
// is v / 2 * (1 + tanh(v / 2)) with tanh.approx, whose largest relative error is 2^-11: that makes
// |v| / 2 * 2^-11, and four f32 roundings on the way |v| * 2^-22. It is not relative to silu(v),
// which is far smaller than |v| where v is negative.
double error_of_silu(std::int64_t k) {
  return 1.1 * error_of_v(k) + largest_v * (0x1p-12 + 0x1p-22);
}

// A value with that error, times a factor of at most `scale`, rounded to the output's type.
Tolerance rounded(Dtype output, double error, double scale = 1.0, double relative_error = 0.0) {
  Tolerance tolerance = rounding(output);
  tolerance.absolute += (1.0 + tolerance.relative) * scale * error;
  tolerance.relative += (1.0 + tolerance.relative) * relative_error;
  return tolerance;
}

// Where the product hands v to the epilogue in bf16, with a bias in bf16 too (at most 1: half of
// the spacing below 1, 2^-9). The output v is then off by that and by no second rounding.
double error_of_v_in_bf16(std::int64_t k) { return error_of_v(k) + largest_bias * 0x1p-9; }

// SiLU of a v that is off by 2^-8 of itself is off by |v silu'(v)| * 2^-8: for v > 0 that is at
// most 1.28 silu(v), for v < 0 at most 0.265. What the second order adds is below 0.3 * 2^-16.
Tolerance silu_of_bf16(Dtype output, std::int64_t k, double scale = 1.0) {
  constexpr double of_value = 1.3 * 0x1p-8, of_negative = 0.27 * 0x1p-8;
  const double error = error_of_silu(k) + 1.1 * (error_of_v_in_bf16(k) - error_of_v(k));
  return rounded(output, error + of_negative, scale, of_value);
}

Tensor one_float(const char* name, Uniform values = {}) {
  return {.name = name, .dtype = Dtype::f32, .shape = {1}, .values = values};
}

// expected[0] holds the product; it becomes d, and what else the epilogue writes is filled.
void apply(Epilogue epilogue, const Inputs& inputs, std::vector<std::vector<double>>& expected) {
  if (epilogue == Epilogue::none) return;
  auto& d = expected[0];
  const HostTensor& bias = inputs.at(2);
  const std::int64_t n = bias.what.count();
  const double scale = epilogue == Epilogue::quantise ? inputs.at(3)[0] : 1.0;
  const auto rows = static_cast<std::int64_t>(d.size()) / n;
  std::vector<double> largest_of_row(static_cast<std::size_t>(rows));
  base::parallel_ranges(
      rows,
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first * n; i < last * n; ++i) {
          const auto at = static_cast<std::size_t>(i), row = static_cast<std::size_t>(i / n);
          const double v = d[at] + bias[i % n], activated = silu(v);
          if (epilogue == Epilogue::quantise) expected[2][at] = v;
          largest_of_row[row] = std::max(largest_of_row[row], std::abs(activated));
          d[at] = scale * activated;
        }
      },
      1);
  expected[1] = {*std::max_element(largest_of_row.begin(), largest_of_row.end())};
}

}  // namespace

Problem epilogue_problem(const std::string& target, const Size& size, Epilogue epilogue) {
  Problem problem = gemm_problem(target, size, gemm_types("bf16"), GemmB::nk);
  const auto m = size.dims.at(0), n = size.dims.at(1), k = size.dims.at(2);
  if (epilogue == Epilogue::quantise) refuse_bad_extents(target, m, n, k, Dtype::e4m3);
  const double error = error_of_silu(k);
  problem.inputs[1].values = {-range_of_b(k), range_of_b(k)};
  Output& d = problem.outputs[0];
  d = {.tensor = {.name = "d", .dtype = Dtype::bf16, .shape = {m, n}},
       .tolerance = accumulation(Dtype::bf16, k, range_of_b(k) / 3, matrix_f32)};
  if (epilogue != Epilogue::none) {
    problem.inputs.push_back({.name = "bias",
                              .dtype = Dtype::f32,
                              .shape = {n},
                              .values = {-largest_bias, largest_bias}});
    d.tolerance = rounded(Dtype::bf16, error);
    d.rounded_between = silu_of_bf16(Dtype::bf16, k);
    problem.outputs.push_back({.tensor = one_float("amax"),
                               .tolerance = d.tolerance,
                               .rounded_between = d.rounded_between});
  }
  if (epilogue == Epilogue::quantise) {
    problem.inputs.push_back(one_float("scale", {largest_scale / 4, largest_scale}));
    problem.outputs[0].tensor.dtype = Dtype::e4m3;
    problem.outputs[0].tolerance = rounded(Dtype::e4m3, error, largest_scale);
    problem.outputs[0].rounded_between = silu_of_bf16(Dtype::e4m3, k, largest_scale);
    problem.outputs.push_back({.tensor = {.name = "aux", .dtype = Dtype::bf16, .shape = {m, n}},
                               .tolerance = rounded(Dtype::bf16, error_of_v(k)),
                               .rounded_between = rounded(Dtype::bf16, error_of_v_in_bf16(k))});
  }
  problem.bytes = bytes_once(problem);
  problem.reference = [epilogue, product = problem.reference](
                          const Inputs& inputs, std::vector<std::vector<double>>& expected) {
    product(inputs, expected);
    apply(epilogue, inputs, expected);
  };
  return problem;
}

}  // namespace aisp::lab
