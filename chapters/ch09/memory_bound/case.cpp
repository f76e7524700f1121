// memory_bound: eight cheap steps on every element of an array. The function needs 8 bytes and
// 9 operations per element, so its time is the time to move the bytes, however often they move.
#include <algorithm>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch09/memory_bound/chain.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

double chain_of(double x) {
  const double shifted = double{ch09::chain_scale} * x + double{ch09::chain_shift};
  const double leaky = shifted > 0.0 ? shifted : double{ch09::chain_leak} * shifted;
  const double half = 0.5 * (leaky * leaky + 1.0);
  return std::min(half * half, double{ch09::chain_ceiling});
}

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto x = inputs.at(0).as<float>();
  auto& y = expected.at(0);
  base::parallel_ranges(static_cast<std::int64_t>(y.size()),
                        [&](std::int64_t i, std::int64_t last) {
                          for (; i < last; ++i) y[i] = chain_of(x[i]);
                        });
}

// With e = 2^-24 (half an ulp of 1) and u the value after the relu, |u| <= 1.75: scale and shift
// round by e each, so u^2 is off by 4|u|e, its own rounding adds u^2 e, and v = u^2 + 1 rounds once
// more. Relative to v that is (4|u| + u^2) / (1 + u^2) e + e <= 3.6 e. The second square doubles it
// and rounds once: 8.2 e, rounded up to 9 e. The other constants are powers of two or clamps:
// exact.
constexpr lab::Tolerance tolerance{.relative = 9 * 0x1p-24, .absolute = 0.0};

lab::Problem problem(const lab::Size& size) {
  const std::int64_t count = size.dims.at(0);
  if (count < 1)
    base::refuse(base::Exit::usage, "memory_bound: N must be at least 1: got ", count,
                 "; use for example 268435456");
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"x", lab::Dtype::f32, {count}, {-1.0, 1.0}}};
  problem.outputs = {{{"y", lab::Dtype::f32, {count}, {}}, tolerance}};
  problem.flops = 9.0 * static_cast<double>(count);
  problem.bytes = 8.0 * static_cast<double>(count);
  problem.unit = lab::Unit::fma_f32;
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch09";
  target.name = "memory_bound";
  target.idea = "fuse elementwise passes so that bytes move once, then move 16 at a time";
  target.shows_in = lab::Count::l2_bytes;
  target.axes = {"N"};
  target.variants = {""};
  target.full = {{"", {std::int64_t{1} << 28}}};
  // Ragged, and more than the 262144 elements that 8 multiprocessors hold at once.
  target.quick = {{"", {300007}}, {"", {5}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
