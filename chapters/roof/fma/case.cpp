// The arithmetic roof without the matrix unit: nothing but independent multiply-adds.
#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/roof/fma/recurrence.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

double iterate(double y, double a, double b, std::int64_t steps) {
  for (; steps > 0; --steps) {
    const double next = a * y + b;
    if (next == y) break;  // a fixed point in float64: every later step gives the same
    y = next;
  }
  return y;
}

lab::Problem problem(const lab::Size& size) {
  const auto elements = size.dims.at(0), steps = size.dims.at(1);
  const bool half = size.variant == "f16";
  const std::int64_t multiple = roof::chains * (half ? 2 : 1);
  constexpr std::int64_t most_elements = std::int64_t{1} << 34, most_steps = 1 << 24;
  if (elements % multiple != 0 || elements > most_elements || steps > most_steps)
    base::refuse(base::Exit::usage, "roof:fma takes a multiple of ", multiple, " elements up to ",
                 most_elements, " and up to ", most_steps, " steps: got ", elements, 'x', steps,
                 "; try ", (elements + multiple - 1) / multiple * multiple, "x1024");
  const auto dtype = half ? lab::Dtype::f16 : lab::Dtype::f32;
  const lab::Uniform contracting{-roof::largest_factor, roof::largest_factor};
  lab::Problem made;
  made.size = size;
  made.inputs = {
      {.name = "x", .dtype = dtype, .shape = {elements}},
      {.name = "a", .dtype = dtype, .shape = {elements / roof::chains}, .values = contracting},
      {.name = "b", .dtype = dtype, .shape = {elements / roof::chains}}};
  // Each step rounds by at most unit * 4 (|y| <= 4), and of every error 3/4 reaches the next step:
  // unit * 4 / (1 - 3/4) in all.
  const double unit = half ? 0x1p-11 : 0x1p-24;
  made.outputs = {
      {.tensor = {.name = "y", .dtype = dtype, .shape = {elements}},
       .tolerance = {.relative = 0.0, .absolute = 4 * unit / (1 - roof::largest_factor)}}};
  made.flops = 2.0 * static_cast<double>(elements) * static_cast<double>(steps);
  made.bytes = static_cast<double>(made.inputs[0].bytes() + made.inputs[1].bytes() +
                                   made.inputs[2].bytes() + made.outputs[0].tensor.bytes());
  made.unit = half ? lab::Unit::fma_f16 : lab::Unit::fma_f32;
  made.reference = [elements, steps](const lab::Inputs& inputs,
                                     std::vector<std::vector<double>>& expected) {
    base::parallel_ranges(elements, [&](std::int64_t first, std::int64_t last) {
      for (; first < last; ++first) {
        const auto at = roof::coefficient_of(first, elements);
        expected.at(0)[static_cast<std::size_t>(first)] =
            iterate(inputs[0][first], inputs[1][at], inputs[2][at], steps);
      }
    });
  };
  return made;
}

const lab::TargetEntry entry{{
    .chapter = "roof",
    .name = "fma",
    .idea = "operations per second of multiply-adds alone",
    .aliases = {},
    .axes = {"elements", "steps"},
    .variants = {"f32", "f16"},
    .full = {{.variant = "f32", .dims = {1 << 24, 1024}},
             {.variant = "f16", .dims = {1 << 25, 1024}}},
    .quick = {{.variant = "f32", .dims = {3000, 96}}, {.variant = "f16", .dims = {3008, 96}}},
    .problem = problem,
}};

}  // namespace
