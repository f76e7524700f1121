// inspect: is what is shown of a tile program what runs? A program is run, then its shown CUDA C++
// is compiled as a text of one's own, then its shown PTX is loaded; all must give the same bytes.
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch14/inspect/shown.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const lab::HostTensor& x = inputs.at(0);
  const std::int64_t columns = x.what.shape.at(1);
  auto rows = [&](std::int64_t row, std::int64_t last) {
    for (; row < last; ++row) {
      double squares = 0;
      for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) squares += x[i] * x[i];
      const double norm =
          std::sqrt(squares / static_cast<double>(columns) + double{ch14::norm_epsilon});
      for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i)
        expected.at(0)[static_cast<std::size_t>(i)] = x[i] / norm / (1 + std::exp(-x[i] / norm));
    }
  };
  base::parallel_ranges(x.what.shape.at(0), rows, 1);
}

// A sum of squares is off by its additions (a thread's own, at most columns / 32, and ten levels of
// a tree) times 2^-24, its root by half of that; quotient, root and product round once each. silu
// makes of a relative error e at most (1 + |n|) e, and |n| is at most the root of the row's length;
// its exponential of at most |n| adds 2^-24 |n|, and 2^-21 for the functions. bf16 rounds by 2^-8.
lab::Tolerance tolerance_of(std::int64_t columns) {
  const double additions = std::max(32.0, static_cast<double>(columns) / 32) + 10;
  const double largest = std::sqrt(static_cast<double>(columns));
  const double off = (additions / 2 + 4) * 0x1p-24;
  return {.relative = 0x1p-8 + (1 + largest) * off + largest * 0x1p-24 + 0x1p-21, .absolute = 0};
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t rows = size.dims.at(0), columns = size.dims.at(1);
  constexpr std::int64_t most = 1 << 16;
  if (rows < 1 || columns < 1 || columns > most)
    base::refuse(base::Exit::usage, "inspect: rows and columns are at least 1, columns at most ",
                 most, ": got ", rows, "x", columns, "; use for example 16384x4096");
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"x", lab::Dtype::bf16, {rows, columns}, {-3.0, 3.0}}};
  problem.outputs = {{{"y", lab::Dtype::bf16, {rows, columns}, {}}, tolerance_of(columns)}};
  problem.flops = 6.0 * static_cast<double>(rows * columns);
  problem.bytes = 2.0 * static_cast<double>(problem.inputs[0].bytes());
  problem.unit = lab::Unit::fma_f32;
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch14";
  target.name = "inspect";
  target.idea = "what is shown of a compiled program is what runs: its source, its PTX";
  target.same_bytes = true;
  target.shows_nowhere = "the rungs are to be the same kernel";
  target.aliases = {{"inspect_compiled_code", ""}};
  target.axes = {"rows", "columns"};
  target.variants = {""};
  target.full = {{"", {16384, 4096}}};
  // Rows that end within a vector, and one that is longer than its block.
  target.quick = {{"", {37, 1000}}, {"", {5, 777}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
