// cooperative_persistent: an array smoothed again and again. Every step needs the whole step before
// it, so the steps of a run have to be kept apart: by the end of a launch, or by blocks that wait
// for each other inside of one.
#include <algorithm>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch10/cooperative_persistent/smoothing.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

void one_step(const std::vector<double>& from, std::vector<double>& to) {
  const auto count = static_cast<std::int64_t>(from.size());
  const double centre = ch10::centre_weight, near = ch10::near_weight, far = ch10::far_weight;
  const auto at = [&](std::int64_t i) { return i >= 0 && i < count ? from[i] : 0.0; };
  const auto careful = [&](std::int64_t i) {
    to[i] = centre * at(i) + near * (at(i - 1) + at(i + 1)) + far * (at(i - 2) + at(i + 2));
  };
  base::parallel_ranges(count, [&](std::int64_t i, std::int64_t last) {
    for (; i < std::min<std::int64_t>(last, 2); ++i) careful(i);
    for (; i < std::min(last, count - 2); ++i)
      to[i] =
          centre * from[i] + near * (from[i - 1] + from[i + 1]) + far * (from[i - 2] + from[i + 2]);
    for (; i < last; ++i) careful(i);
  });
}

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected,
               std::int64_t steps) {
  const auto x = inputs.at(0).as<float>();
  auto& y = expected.at(0);
  y.assign(x.begin(), x.end());
  std::vector<double> next(y.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    one_step(y, next);
    std::swap(y, next);
  }
}

// The weights are positive and add up to 1, so |x| <= 1 holds for every intermediate result and an
// error never grows. A step rounds four times (the first product is exact), each time by at most
// 2^-24 of a sum that is at most 1.
lab::Tolerance tolerance_of(std::int64_t steps) {
  return {.relative = 0.0,
          .absolute = ch10::smooth_roundings * static_cast<double>(steps) * 0x1p-24};
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t count = size.dims.at(0), steps = size.dims.at(1);
  constexpr std::int64_t most = std::int64_t{1} << 32, most_steps = 1 << 16;
  if (count < 4 || count > most || count % 4 != 0)
    base::refuse(base::Exit::usage,
                 "cooperative_persistent: elements must be a multiple of 4 for 16-byte accesses, "
                 "at most ",
                 most, ": got ", count, "; use ",
                 std::clamp<std::int64_t>((count + 3) / 4 * 4, 4, most));
  if (steps < 1 || steps > most_steps)
    base::refuse(base::Exit::usage, "cooperative_persistent: steps must be 1 to ", most_steps,
                 ": got ", steps, "; use for example 40");
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"x", lab::Dtype::f32, {count}, {-1.0, 1.0}}};
  problem.outputs = {{{"y", lab::Dtype::f32, {count}, {}}, tolerance_of(steps)}};
  problem.flops = 9.0 * static_cast<double>(count) * static_cast<double>(steps);
  problem.bytes = 8.0 * static_cast<double>(count);
  problem.unit = lab::Unit::fma_f32;
  problem.reference = [steps](const lab::Inputs& inputs,
                              std::vector<std::vector<double>>& expected) {
    reference(inputs, expected, steps);
  };
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "cooperative_persistent";
  target.idea = "one launch for all steps: blocks that meet on the device instead of ending";
  target.shows_in = lab::Count::launches;
  target.axes = {"elements", "steps"};
  target.variants = {""};
  for (const int power : {16, 18, 20, 22, 24})
    target.full.push_back({"", {std::int64_t{1} << power, 40}});
  // On 8 multiprocessors: more than their shared memory holds; less, in an even and an odd number
  // of steps; blocks of a single vector; a single step.
  target.quick = {{"", {600004, 3}}, {"", {50004, 6}}, {"", {20, 3}}, {"", {4100, 1}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
