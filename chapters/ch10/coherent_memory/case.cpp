// coherent_memory: a matrix that lies in the host's memory, one dot product for every row. A device
// that shares the host's page tables can read it where it lies.
#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch10/coherent_memory/rows.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto x = inputs.at(0).as<float>(), w = inputs.at(1).as<float>();
  auto& y = expected.at(0);
  base::parallel_ranges(
      static_cast<std::int64_t>(y.size()),
      [&](std::int64_t row, std::int64_t last) {
        for (; row < last; ++row) {
          double sum = 0;
          for (std::size_t i = 0; i < w.size(); ++i)
            sum += double{x[static_cast<std::size_t>(row) * w.size() + i]} * w[i];
          y[static_cast<std::size_t>(row)] = sum;
        }
      },
      16);
}

lab::Problem problem(const lab::Size& size) {
  const ch10::RowShape shape(size);
  constexpr std::int64_t most = 1 << 24;
  if (shape.rows < 1 || shape.rows > most || shape.columns < 4 || shape.columns > most ||
      shape.columns % 4 != 0)
    base::refuse(base::Exit::usage, "coherent_memory takes 1 to ", most,
                 " rows of a multiple of 4 columns (16-byte loads), up to as many: got ",
                 shape.rows, 'x', shape.columns, "; use for example 65536x4096");
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{.name = "x", .dtype = lab::Dtype::f32, .shape = {shape.rows, shape.columns}},
                    {.name = "w", .dtype = lab::Dtype::f32, .shape = {shape.columns}}};
  problem.outputs = {
      {.tensor = {.name = "y", .dtype = lab::Dtype::f32, .shape = {shape.rows}},
       .tolerance = lab::accumulation(lab::Dtype::f32, shape.columns, 1.0 / 3, lab::fma_f32)}};
  problem.flops = 2.0 * static_cast<double>(shape.rows * shape.columns);
  problem.bytes = lab::bytes_once(problem);
  problem.to_device = static_cast<double>(shape.bytes());
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "coherent_memory";
  target.idea = "a device that shares the host's page tables reads its memory where it lies";
  target.shows_nowhere = "the link to the host and its pages, whose rates are not simulated";
  target.axes = {"rows", "columns"};
  target.variants = {""};
  target.full = {{"", {65536, 4096}}};  // 1 GiB
  // More than three laps of the ring, the last chunk shorter, no whole warps; a row less than one.
  target.quick = {{"", {1003, 204}}, {"", {3, 4}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
