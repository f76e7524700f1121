// fused_norm_activation: RMSNorm, gain, SiLU and residual on rows of bf16. The rungs that keep
// tensors between operators keep them in bf16, as frameworks do: float tensors would double the
// traffic of the baseline and flatter the fusion. The tolerance is derived for those roundings.
#include <cmath>

#include "base/parallel.hpp"
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/fused_norm_activation/norm.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr double largest_gain = 1.0;

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const lab::HostTensor &x = inputs.at(0), &gain = inputs.at(1), &residual = inputs.at(2);
  const std::int64_t columns = x.what.shape.at(1);
  auto one_row = [&](std::int64_t first) {
    double squares = 0.0;
    for (std::int64_t i = 0; i < columns; ++i) squares += x[first + i] * x[first + i];
    const double mean = squares / static_cast<double>(columns);
    const double scale = 1.0 / std::sqrt(mean + double{ch09::norm_epsilon});
    for (std::int64_t i = 0; i < columns; ++i) {
      const double v = x[first + i] * scale * gain[i];
      expected.at(0)[first + i] = v / (1.0 + std::exp(-v)) + residual[first + i];
    }
  };
  auto rows = [&](std::int64_t row, std::int64_t last) {
    for (; row < last; ++row) one_row(row * columns);
  };
  base::parallel_ranges(x.what.shape.at(0), rows, 1);
}

// The largest |x| / rms a row of uniform values in [-1, 1] has: the mean of their squares is 1/3
// with a spread of sqrt(4/45) per element, and stays within six spreads of the mean. A short row
// is bounded by the square root of its length.
double largest_normalised(std::int64_t columns) {
  const double length = static_cast<double>(columns);
  const double least_mean = 1.0 / 3.0 - 6.0 * std::sqrt(4.0 / 45.0 / length);
  return std::sqrt(least_mean > 1.0 / length ? 1.0 / least_mean : length);
}

// With u = 2^-8 (half an ulp of bf16, relative) and v the argument of SiLU, |v| <= most:
//   the norm's and the gain's results round once each: v is off by 2 u |v|, SiLU of it by 1.1 times
//   that (its slope is at most 1.1); SiLU's result rounds by u |v|; the output by u |out|.
// Float arithmetic (sum of squares, rsqrt, exp, quotient: under 64 roundings) adds 2^-18.
lab::Tolerance tolerance_of(std::int64_t columns) {
  const double u = 0x1p-8, most = largest_normalised(columns) * largest_gain;
  return {.relative = u, .absolute = most * (1.1 * 2 * u + u + 0x1p-18)};
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t rows = size.dims.at(0), columns = size.dims.at(1);
  const auto bf16 = lab::Dtype::bf16;
  ch09::check_row("fused_norm_activation", columns, lab::bytes_of(bf16));
  ch09::blocks_for(rows, 1);  // one block per row
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"x", bf16, {rows, columns}, {-1.0, 1.0}},
                    {"gain", bf16, {columns}, {0.5, largest_gain}},
                    {"residual", bf16, {rows, columns}, {-1.0, 1.0}}};
  problem.outputs = {{{"out", bf16, {rows, columns}, {}}, tolerance_of(columns)}};
  // square, add, scale, gain, SiLU as four, residual
  problem.flops = 9.0 * static_cast<double>(rows * columns);
  problem.bytes = 2.0 * static_cast<double>(3 * rows * columns + columns);
  problem.unit = lab::Unit::fma_f32;
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch09";
  target.name = "fused_norm_activation";
  target.idea = "a reduction fused with the elementwise work after it";
  target.shows_in = lab::Count::l2_bytes;
  target.axes = {"rows", "columns"};
  target.variants = {""};
  target.full = {{"", {32768, 8192}}};
  // Rows that end inside a thread's four vectors; more rows than 8 multiprocessors hold blocks.
  target.quick = {{"", {300, 1000}}, {"", {5, 8200}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
