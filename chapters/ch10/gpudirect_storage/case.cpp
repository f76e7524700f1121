// gpudirect_storage: a file of floats becomes one sum of squares for every 4096 of them. The input
// that the lab draws is written to a file before a run is timed; a run gets nothing but the file.
#include <algorithm>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch10/gpudirect_storage/sums.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto x = inputs.at(0).as<float>();
  auto& sums = expected.at(0);
  const auto count = static_cast<std::int64_t>(x.size());
  base::parallel_ranges(
      static_cast<std::int64_t>(sums.size()),
      [&](std::int64_t j, std::int64_t last) {
        for (; j < last; ++j) {
          const std::int64_t end = std::min(count, (j + 1) * ch10::sum_floats);
          double sum = 0;
          for (std::int64_t i = j * ch10::sum_floats; i < end; ++i) sum += double{x[i]} * x[i];
          sums[j] = sum;
        }
      },
      16);
}

// All terms are positive, so that each rounding costs at most 2^-24 of the sum; the terms of second
// order are covered by one more.
constexpr lab::Tolerance tolerance{.relative = (ch10::sum_roundings + 1) * 0x1p-24,
                                   .absolute = 0.0};

lab::Problem problem(const lab::Size& size) {
  const std::int64_t floats = size.dims.at(0);
  constexpr std::int64_t most = std::int64_t{1} << 40;  // blocks of a launch stay below 2^31
  if (floats < 1 || floats > most)
    base::refuse(base::Exit::usage,
                 "gpudirect_storage: N is the number of floats in the file, 1 to ", most, ": got ",
                 floats, "; use for example 268435456, a file of 1 GiB");
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"x", lab::Dtype::f32, {floats}, {-1.0, 1.0}}};
  problem.outputs = {{{"sums", lab::Dtype::f32, {ch10::sums_of(floats)}, {}}, tolerance}};
  problem.flops = 2.0 * static_cast<double>(floats);
  problem.bytes = 4.0 * static_cast<double>(floats + ch10::sums_of(floats));
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "gpudirect_storage";
  target.idea = "a file is read while what has been read is copied and computed";
  target.shows_nowhere = "the disk, which is the host's and not simulated";
  target.aliases = {{"cufile_gds_example", ""}, {"demo_both_examples", ""}};
  target.axes = {"N"};
  target.variants = {""};
  target.full = {{"", {std::int64_t{1} << 30}}};  // 4 GiB
  // 2.8 MB: no whole number of pages, and several laps through every ring. 20 bytes: one page.
  target.quick = {{"", {700003}}, {"", {5}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
