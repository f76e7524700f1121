// two_stage_pipeline: a stencil of 33 taps over an array. 66 operations and 8 bytes per element
// put arithmetic and memory near balance, so doing one after the other costs about the sum of both.
#include <algorithm>
#include <cstdlib>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch09/two_stage_pipeline/stencil.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using ch09::stencil_radius, ch09::stencil_taps;

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto x = inputs.at(0).as<float>();
  auto& y = expected.at(0);
  const auto count = static_cast<std::int64_t>(y.size());
  base::parallel_ranges(count, [&](std::int64_t i, std::int64_t last) {
    for (; i < last; ++i) {
      const std::int64_t from = std::max<std::int64_t>(i - stencil_radius, 0);
      const std::int64_t to = std::min(i + stencil_radius, count - 1);
      double sum = 0.0;
      for (std::int64_t j = from; j <= to; ++j)
        sum += static_cast<double>(stencil_radius + 1 - std::abs(j - i)) * double{x[j]};
      y[i] = sum * double{ch09::stencil_unit};
    }
  });
}

// A chain of 33 fused multiply-adds rounds 33 times, each time by at most 2^-24 of the running sum,
// which stays below the sum of the weights (289 / 512) because |x| <= 1. The signs of x cancel, so
// the bound is absolute.
constexpr lab::Tolerance tolerance{.relative = 0.0,
                                   .absolute = stencil_taps * 0x1p-24 * ch09::stencil_weight_sum};

lab::Problem problem(const lab::Size& size) {
  const std::int64_t count = size.dims.at(0);
  if (count < 1)
    base::refuse(base::Exit::usage, "two_stage_pipeline: N must be at least 1: got ", count,
                 "; use for example 67108864");
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"x", lab::Dtype::f32, {count}, {-1.0, 1.0}}};
  problem.outputs = {{{"y", lab::Dtype::f32, {count}, {}}, tolerance}};
  problem.flops = 2.0 * stencil_taps * static_cast<double>(count);
  problem.bytes = 8.0 * static_cast<double>(count);
  problem.unit = lab::Unit::fma_f32;
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch09";
  target.name = "two_stage_pipeline";
  target.idea = "inside one block, fetch the next tile while computing this one";
  target.shows_nowhere = "the latency of memory, which copies in flight hide";
  target.axes = {"N"};
  target.variants = {""};
  target.full = {{"", {std::int64_t{1} << 26}}};
  // 25 tiles, the last one ragged: on 8 multiprocessors three or four laps through the stages.
  target.quick = {{"", {200003}}, {"", {7}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
