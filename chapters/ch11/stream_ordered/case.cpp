// stream_ordered: the sum of many filters of one vector. Each filter is a step: a cascade of eight
// stages whose results are temporary vectors that nobody needs once the step is over.
#include <array>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch11/stream_ordered/filters.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

using ch11::filter_stages;

constexpr int taps = 1 << filter_stages;
constexpr double largest_factor = 0.25;

// Stage j multiplies by 1 + f[j] z^(2^j), so that tap k of a cascade is the product of the factors
// of the bits of k; and the sum of all filters is one filter. Nothing here goes by way of stages.
std::array<double, taps> sum_of_filters(const lab::HostTensor& factors, std::int64_t steps) {
  std::array<double, taps> sum{};
  const auto f = factors.as<float>();
  for (std::int64_t step = 0; step < steps; ++step) {
    std::array<double, taps> filter{1.0};
    for (int tap = 1; tap < taps; ++tap) {
      const int stage = __builtin_ctz(static_cast<unsigned>(tap));
      filter[static_cast<std::size_t>(tap)] =
          filter[static_cast<std::size_t>(tap & (tap - 1))] *
          f[static_cast<std::size_t>(step * filter_stages + stage)];
    }
    for (std::size_t tap = 0; tap < taps; ++tap) sum[tap] += filter[tap];
  }
  return sum;
}

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto x = inputs.at(0).as<float>();
  const auto n = static_cast<std::int64_t>(x.size());
  const auto filter = sum_of_filters(inputs.at(1), inputs.at(1).what.shape.at(0));
  auto& y = expected.at(0);
  base::parallel_ranges(n, [&](std::int64_t i, std::int64_t last) {
    for (; i < last; ++i) {
      double sum = 0;
      for (std::int64_t tap = 0; tap < std::min<std::int64_t>(taps, n - i); ++tap)
        sum += filter[static_cast<std::size_t>(tap)] * x[static_cast<std::size_t>(i + tap)];
      y[static_cast<std::size_t>(i)] = sum;
    }
  });
}

// With |x| <= 1 what stage j gives is at most (1 + 1/4)^j, and one rounding of it is 2^-24 of that;
// the stages behind it make the error grow as they make the number grow. The sum of s steps is at
// most s times what a step gives. These are certain bounds, not likely ones.
lab::Tolerance tolerance_of(std::int64_t steps) {
  double largest = 1;
  for (int stage = 0; stage < filter_stages; ++stage) largest *= 1 + largest_factor;
  const auto s = static_cast<double>(steps);
  return {.relative = 0x1p-24,
          .absolute = 0x1p-24 * largest * (s * filter_stages + s * (s + 1) / 2)};
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t n = size.dims.at(0), steps = size.dims.at(1);
  constexpr std::int64_t most = std::int64_t{1} << 32, most_steps = 1 << 16;
  if (n < 1 || n > most || steps < 1 || steps > most_steps)
    base::refuse(base::Exit::usage, "stream_ordered takes a vector of 1 to ", most,
                 " floats and 1 to ", most_steps, " steps: got ", n, " and ", steps,
                 "; use for example 1048576x500");
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {
      {"x", lab::Dtype::f32, {n}, {-1.0, 1.0}},
      {"factors", lab::Dtype::f32, {steps, filter_stages}, {-largest_factor, largest_factor}}};
  problem.outputs = {{{"sum", lab::Dtype::f32, {n}, {}}, tolerance_of(steps)}};
  problem.flops = static_cast<double>(n * steps) * (2 * filter_stages + 1);
  problem.bytes = lab::bytes_once(problem);
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "stream_ordered";
  target.idea = "temporary memory taken and given back in stream order: no call waits";
  target.shows_nowhere = "the host's time in allocations that wait for the device";
  target.aliases = {{"streams_ordered_demo", ""}};
  target.axes = {"N", "steps"};
  target.variants = {""};
  target.full = {{"", {1 << 20, 500}}};  // eight buffers of 4 MiB a step
  // No multiple of a block; and one shorter than the longest look ahead.
  target.quick = {{"", {1100, 7}}, {"", {100, 2}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
