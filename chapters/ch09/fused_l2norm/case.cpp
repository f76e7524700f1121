// fused_l2norm: every row divided by its Euclidean norm. f32 inputs are drawn from +-1e30, where
// the square of a float overflows, bf16 inputs from +-1e-25, where it underflows: a sum of plain
// squares gives rows of zeros or far too large ones, so every check of every rung tests the
// scaling.
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/fused_l2norm/norm.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const lab::HostTensor& x = inputs.at(0);
  const std::int64_t columns = x.what.shape.at(1);
  auto normalise = [&](std::int64_t first) {
    double squares = 0.0;  // float64 holds squares of 1e38 and of 1e-45
    for (std::int64_t i = first; i < first + columns; ++i) squares += x[i] * x[i];
    const double norm = std::max(std::sqrt(squares), double{ch09::norm_floor});
    for (std::int64_t i = first; i < first + columns; ++i) expected.at(0)[i] = x[i] / norm;
  };
  auto rows = [&](std::int64_t row, std::int64_t last) {
    for (; row < last; ++row) normalise(row * columns);
  };
  base::parallel_ranges(x.what.shape.at(0), rows, 1);
}

// Squares are positive, so a sum of them is off by at most (additions on the longest path) * 2^-24
// of itself. A path is the additions of one thread (32 elements in registers; or 8 within a vector
// and one per vector of a walk, at most columns / 256) and 10 levels of the tree; scaling by powers
// of two is exact. The root halves the error; root, reciprocal and product round once each. bf16
// output rounds by another 2^-8.
lab::Tolerance tolerance_of(lab::Dtype dtype, std::int64_t columns) {
  const double walk = 8.0 + static_cast<double>(ch09::divide_up(columns, 256));
  const double path = std::max(32.0, walk) + 10;
  const double f32 = (path / 2 + 3) * 0x1p-24;
  return {.relative = dtype == lab::Dtype::bf16 ? 0x1p-8 + f32 : f32, .absolute = 0.0};
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t rows = size.dims.at(0), columns = size.dims.at(1);
  const auto dtype = size.variant == "bf16" ? lab::Dtype::bf16 : lab::Dtype::f32;
  const double range = dtype == lab::Dtype::bf16 ? 1e-25 : 1e30;
  ch09::check_row("fused_l2norm", columns, lab::bytes_of(dtype));
  ch09::blocks_for(rows, 1);  // one block per row
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"x", dtype, {rows, columns}, {-range, range}}};
  problem.outputs = {{{"y", dtype, {rows, columns}, {}}, tolerance_of(dtype, columns)}};
  problem.flops = 3.0 * static_cast<double>(rows * columns);  // square, add, scale
  problem.bytes = 2.0 * static_cast<double>(problem.inputs[0].bytes());
  problem.unit = lab::Unit::fma_f32;
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch09";
  target.name = "fused_l2norm";
  target.idea = "a reduction and the pass that uses it in one kernel, the row read once";
  target.shows_in = lab::Count::l2_bytes;
  target.axes = {"rows", "columns"};
  target.variants = {"bf16", "f32"};
  target.full = {{"bf16", {65536, 4096}}, {"f32", {65536, 4096}}};
  // Rows that end inside a thread's four vectors and inside a warp; more rows than 8
  // multiprocessors hold blocks of one warp.
  target.quick = {{"bf16", {300, 1000}}, {"f32", {300, 996}}, {"f32", {37, 4100}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
