// y = p(x) for a polynomial of degree 256: 256 multiply-adds per element loaded and stored, so the
// FMA units are the limit and instruction-level parallelism decides.
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch09/compute_bound/polynomial.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

double horner(double x, double& largest) {
  double y = ch09::coefficients[ch09::degree];
  for (int i = ch09::degree - 1; i >= 0; --i) {
    y = y * x + ch09::coefficients[static_cast<std::size_t>(i)];
    largest = std::max(largest, std::abs(y));
  }
  return y;
}

// The largest intermediate value over [-1, 1].
double largest_intermediate() {
  constexpr int points = 2000;
  double largest = 1.0;
  for (int i = -points; i <= points; ++i) horner(static_cast<double>(i) / points, largest);
  return largest;
}

// Each of the 256 steps rounds by at most unit * largest, and |x| <= 1 never lets an error grow:
// 256 * unit * largest is certain. fp16 would make that half the result; its roundings are
// independent with standard deviation unit * largest / sqrt(3), and eight of those of their sum
// are allowed instead.
lab::Tolerance tolerance(bool half) {
  const double largest = largest_intermediate(), steps = ch09::degree;
  if (half) return {.absolute = 8 * std::sqrt(steps / 3) * 0x1p-11 * largest};
  return {.absolute = steps * 0x1p-24 * largest};
}

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto& x = inputs.at(0);
  auto& y = expected.at(0);
  base::parallel_ranges(x.what.count(), [&](std::int64_t first, std::int64_t last) {
    // Neighbours side by side: one element alone waits for its own chain here too.
    constexpr std::int64_t abreast = 16;
    for (; first < last; first += abreast) {
      const std::int64_t count = std::min(abreast, last - first);
      double points[abreast] = {}, values[abreast] = {};
      for (std::int64_t i = 0; i < count; ++i) points[i] = x[first + i];
      for (int k = ch09::degree; k >= 0; --k)
        for (std::int64_t i = 0; i < abreast; ++i)
          values[i] = values[i] * points[i] + ch09::coefficients[static_cast<std::size_t>(k)];
      std::copy_n(values, count, &y[static_cast<std::size_t>(first)]);
    }
  });
}

lab::Problem problem(const lab::Size& size) {
  const auto elements = size.dims.at(0);
  constexpr std::int64_t multiple = 8, most = std::int64_t{1} << 34;
  if (elements % multiple != 0 || elements > most)
    base::refuse(base::Exit::usage, "compute_bound takes up to ", most,
                 " elements in a multiple of ", multiple, " (16-byte accesses): got ", elements,
                 "; try ", std::min(most, (elements + multiple - 1) / multiple * multiple));
  const bool half = size.variant == "f16";
  const auto dtype = half ? lab::Dtype::f16 : lab::Dtype::f32;
  lab::Problem made;
  made.size = size;
  made.inputs = {{.name = "x", .dtype = dtype, .shape = {elements}}};
  made.outputs = {
      {.tensor = {.name = "y", .dtype = dtype, .shape = {elements}}, .tolerance = tolerance(half)}};
  made.flops = 2.0 * ch09::degree * static_cast<double>(elements);
  made.bytes = 2.0 * static_cast<double>(made.inputs[0].bytes());
  made.unit = half ? lab::Unit::fma_f16 : lab::Unit::fma_f32;
  made.reference = reference;
  return made;
}

const lab::TargetEntry entry{{
    .chapter = "ch09",
    .name = "compute_bound",
    .idea = "instruction-level parallelism: independent chains in registers reach the FMA roof",
    .shows_nowhere = "the latency of dependent instructions, which more chains hide",
    .aliases = {},
    .axes = {"elements"},
    .variants = {"f32", "f16"},
    .full = {{.variant = "f32", .dims = {1 << 24}}, {.variant = "f16", .dims = {1 << 24}}},
    .quick = {{.variant = "f32", .dims = {5000}}, {.variant = "f16", .dims = {5000}}},
    .problem = problem,
}};

}  // namespace
