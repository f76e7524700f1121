// tile_program: four kernels that read each element once, written by hand and as tile programs.
// softmax, layernorm and cross_entropy work along rows of bf16, add is a vector of f32.
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/tile_program/rows.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using ch09::RowProgram;
using Expected = std::vector<std::vector<double>>;

// Scores lie in [-4, 4]: an exponent below the row's largest spans at most 8.
constexpr double score_range = 4.0;

// of_row(row, first): `first` is the number of the row's first element.
template <class OfRow>
void each_row(const lab::HostTensor& x, const OfRow& of_row) {
  const std::int64_t columns = x.what.shape.at(1);
  auto rows = [&](std::int64_t row, std::int64_t last) {
    for (; row < last; ++row) of_row(row, row * columns);
  };
  base::parallel_ranges(x.what.shape.at(0), rows, 1);
}

double largest(const lab::HostTensor& x, std::int64_t first) {
  double most = x[first];
  for (std::int64_t i = first; i < first + x.what.shape.at(1); ++i) most = std::max(most, x[i]);
  return most;
}

double sum_of_exponentials(const lab::HostTensor& x, std::int64_t first, double most) {
  double sum = 0;
  for (std::int64_t i = first; i < first + x.what.shape.at(1); ++i) sum += std::exp(x[i] - most);
  return sum;
}

void softmax(const lab::Inputs& inputs, Expected& expected) {
  const lab::HostTensor& x = inputs.at(0);
  each_row(x, [&](std::int64_t, std::int64_t first) {
    const double most = largest(x, first), sum = sum_of_exponentials(x, first, most);
    for (std::int64_t i = first; i < first + x.what.shape[1]; ++i)
      expected.at(0)[static_cast<std::size_t>(i)] = std::exp(x[i] - most) / sum;
  });
}

void add(const lab::Inputs& inputs, Expected& expected) {
  const auto a = inputs.at(0).as<float>(), b = inputs.at(1).as<float>();
  auto range = [&](std::int64_t from, std::int64_t to) {
    for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i)
      expected.at(0)[i] = double{a[i]} + b[i];
  };
  base::parallel_ranges(static_cast<std::int64_t>(a.size()), range, 1 << 16);
}

void layernorm(const lab::Inputs& inputs, Expected& expected) {
  const lab::HostTensor &x = inputs.at(0), &gain = inputs.at(1), &shift = inputs.at(2);
  const std::int64_t columns = x.what.shape.at(1);
  each_row(x, [&](std::int64_t, std::int64_t first) {
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < columns; ++i) sum += x[first + i];
    const double mean = sum / static_cast<double>(columns);
    for (std::int64_t i = 0; i < columns; ++i) squares += std::pow(x[first + i] - mean, 2);
    const double deviation =
        std::sqrt(squares / static_cast<double>(columns) + double{ch09::layernorm_epsilon});
    for (std::int64_t i = 0; i < columns; ++i)
      expected.at(0)[static_cast<std::size_t>(first + i)] =
          (x[first + i] - mean) / deviation * gain[i] + shift[i];
  });
}

void cross_entropy(const lab::Inputs& inputs, Expected& expected) {
  const lab::HostTensor &x = inputs.at(0), &labels = inputs.at(1);
  each_row(x, [&](std::int64_t row, std::int64_t first) {
    const double most = largest(x, first);
    expected.at(0)[static_cast<std::size_t>(row)] =
        std::log(sum_of_exponentials(x, first, most)) + most -
        x[first + static_cast<std::int64_t>(labels[row])];
  });
}

// Additions on the longest path of a sum over a row: a thread's own elements (32 in registers, or
// 8 for each of the vectors that 256 threads share out), then ten levels of a tree.
double additions(std::int64_t columns) {
  return std::max(32.0, 8.0 * static_cast<double>(ch09::divide_up(columns, 256 * 8))) + 10;
}

// An exponential of x - most: the difference is rounded once, times log2(e) once more, and log2(e)
// itself is rounded, each to 2^-24 of an exponent of at most 8; the function is off by 2^-22.
constexpr double exponential_error = 3 * 2 * score_range * 0x1p-24 + 0x1p-22;
constexpr double bf16_rounding = 0x1p-8;

// The sum of exponentials is as far off as they are and as its additions; then a quotient or an
// inverse and a product. Nothing is subtracted: all errors are relative.
lab::Tolerance softmax_tolerance(std::int64_t columns) {
  const double f32 = 2 * exponential_error + (additions(columns) + 3) * 0x1p-24;
  return {.relative = bf16_rounding + f32, .absolute = 0};
}

// The logarithm makes the relative error of the sum an absolute one. What is added to it is at most
// log(columns) + 2 * 4 large, and rounded three times.
lab::Tolerance loss_tolerance(std::int64_t columns) {
  const double size = std::log(static_cast<double>(columns)) + 2 * score_range;
  return {.relative = 0,
          .absolute = exponential_error + (additions(columns) + 3 * size) * 0x1p-24 + 0x1p-21};
}

// |x| <= 2. The mean is off by (additions + 1) * 2^-24 of 2, the variance relatively by that of a
// sum of squares and by four times the mean's error; rows of 64 elements and more spread over at
// least a quarter of what they are drawn from (2 / sqrt(3)), so that their inverse deviation is
// below 4. The normalised value is below 4 * 4, times a gain below 1.5, and the shift may cancel
// it: what was off before is off absolutely.
lab::Tolerance layernorm_tolerance(std::int64_t columns) {
  const double off = (additions(columns) + 4) * 0x1p-24;
  return {.relative = bf16_rounding, .absolute = 1.5 * (4 * 2 * off + 16 * off) + 4 * 0x1p-22};
}

void check_extents(RowProgram program, std::int64_t rows, std::int64_t columns) {
  if (rows < 1) base::refuse(base::Exit::usage, "tile_program: at least one row: got ", rows);
  if (program == RowProgram::add) {
    ch09::blocks_for(rows * columns, 1024);
    return;
  }
  ch09::check_row("tile_program", columns, 2);
  ch09::blocks_for(rows, 1);  // one block per row
  constexpr std::int64_t least = 64;
  if (program == RowProgram::layernorm && columns < least)
    base::refuse(base::Exit::usage, "tile_program: layernorm takes rows of at least ", least,
                 " elements, whose spread is certain: got ", columns, "; use ", least);
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t rows = size.dims.at(0), columns = size.dims.at(1);
  const lab::Uniform scores{-score_range, score_range};
  lab::Problem problem;
  problem.size = size;
  problem.unit = lab::Unit::fma_f32;
  const RowProgram program = ch09::program_of(problem);
  check_extents(program, rows, columns);
  const auto count = static_cast<double>(rows * columns);
  const lab::Tensor y{"y", lab::Dtype::bf16, {rows, columns}, {}};
  switch (program) {
    case RowProgram::softmax:
      problem.inputs = {{"x", lab::Dtype::bf16, {rows, columns}, scores}};
      problem.outputs = {{y, softmax_tolerance(columns)}};
      problem.flops = 4 * count;  // largest, exponential, sum, quotient
      problem.reference = softmax;
      break;
    case RowProgram::add:
      problem.inputs = {{"a", lab::Dtype::f32, {rows * columns}, {-1.0, 1.0}},
                        {"b", lab::Dtype::f32, {rows * columns}, {-1.0, 1.0}}};
      problem.outputs = {
          {{"c", lab::Dtype::f32, {rows * columns}, {}}, {.relative = 0x1p-24, .absolute = 0}}};
      problem.flops = count;
      problem.reference = add;
      break;
    case RowProgram::layernorm:
      problem.inputs = {{"x", lab::Dtype::bf16, {rows, columns}, {-2.0, 2.0}},
                        {"gain", lab::Dtype::f32, {columns}, {0.5, 1.5}},
                        {"shift", lab::Dtype::f32, {columns}, {-1.0, 1.0}}};
      problem.outputs = {{y, layernorm_tolerance(columns)}};
      problem.flops = 7 * count;  // sum; difference, square, sum; scale, gain, shift
      problem.reference = layernorm;
      break;
    case RowProgram::cross_entropy:
      problem.inputs = {
          {"scores", lab::Dtype::bf16, {rows, columns}, scores},
          {"labels", lab::Dtype::i32, {rows}, {0.0, static_cast<double>(columns - 1)}}};
      problem.outputs = {{{"loss", lab::Dtype::f32, {rows}, {}}, loss_tolerance(columns)}};
      problem.flops = 3 * count;
      problem.reference = cross_entropy;
      break;
  }
  for (const auto& input : problem.inputs) problem.bytes += static_cast<double>(input.bytes());
  for (const auto& output : problem.outputs)
    problem.bytes += static_cast<double>(output.tensor.bytes());
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch09";
  target.name = "tile_program";
  target.idea = "a kernel written by hand against the same one as a tile program";
  target.shows_nowhere = "the aim is no difference: the compiler's kernel moves the same bytes";
  target.aliases = {{"triton", ""}};
  target.axes = {"rows", "columns"};
  target.variants = lab::all_names<RowProgram>();
  target.full = {{"softmax", {32768, 4096}},
                 {"add", {65536, 4096}},
                 {"layernorm", {32768, 4096}},
                 {"cross_entropy", {32768, 4096}}};
  // Rows that end within a thread's vectors, and one that a warp holds; a vector with a tail.
  target.quick = {{"softmax", {70, 1000}},
                  {"softmax", {9, 4104}},
                  {"add", {7, 3001}},
                  {"layernorm", {33, 776}},
                  {"cross_entropy", {41, 200}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
