#include "app/tune/gemm_tuner.hpp"

#include <algorithm>

#include "lab/case/per_buffers.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::app {
namespace {

using tile::Major;
using tile::Raster;
using tile::device::Choice;
using tile::device::Family;
using tile::device::GemmKey;
using tile::device::GemmProblem;
using tile::device::KernelDescription;
using tile::device::LaunchChoice;
using tile::device::Machine;
using tile::device::Matrix;
using tile::device::ScheduleKind;
using tile::device::TunedOperand;

constexpr int raster_groups[] = {4, 8, 16};
constexpr int split_counts[] = {2, 3, 4, 6, 8, 12, 16};
constexpr int all_splits = 4;  // tried around the rule's own number where there are many

// The product with dense rows. Any aligned address will do where nothing is launched.
GemmProblem problem_at(const GemmKey& key, const void* a, const void* b, const void* d) {
  const auto matrix = [](const void* data, TunedOperand operand, std::int64_t rows,
                         std::int64_t columns) {
    return Matrix{data, operand.element, operand.major == Major::k ? columns : rows, operand.major,
                  rows * columns};
  };
  return {.m = key.m,
          .n = key.n,
          .k = key.k,
          .batch = key.batch,
          .a = matrix(a, key.a, key.m, key.k),
          .b = matrix(b, key.b, key.n, key.k),
          .d = matrix(d, key.d, key.m, key.n)};
}
GemmProblem problem_anywhere(const GemmKey& key) {
  const auto* aligned = reinterpret_cast<const void*>(256);
  return problem_at(key, aligned, aligned, aligned);
}

Prepare prepared(const GemmKey& key, const Choice& choice) {
  return [key, choice](lab::Setup&) {
    return lab::per_buffers([key, choice](const lab::Launch& launch) -> lab::Enqueue {
      const auto plan = tile::device::plan_gemm(
          problem_at(key, launch.in<void>(0), launch.in<void>(1), launch.out<void>(0)), choice);
      return [plan](cudaStream_t stream) { plan.run(stream); };
    });
  };
}

lab::Needs needs_of(Family family) {
  return family == Family::sm100  ? lab::Needs::sm_100a
         : family == Family::sm90 ? lab::Needs::sm_90a
                                  : lab::Needs::sm_80;
}

// The rule's own order and slices first, then others.
std::vector<LaunchChoice> launches(const KernelDescription& recipe, const LaunchChoice& ruled) {
  std::vector<LaunchChoice> all{ruled};
  if (!recipe.uses_tma()) return all;
  for (const int group : raster_groups)
    if (group != ruled.raster.group) all.push_back({{Raster::Along::m, group}, ruled.splits});
  all.push_back({{Raster::Along::n, 8}, ruled.splits});
  all.push_back({{Raster::Along::hilbert, 1}, ruled.splits});
  const bool slices =
      recipe.schedule == ScheduleKind::split_k || recipe.schedule == ScheduleKind::split_k_scatter;
  if (!slices) return all;
  std::vector<int> splits;
  for (const int count : split_counts)
    if (count != ruled.splits) splits.push_back(count);
  std::stable_sort(splits.begin(), splits.end(), [&](int left, int right) {
    return std::abs(left - ruled.splits) < std::abs(right - ruled.splits);
  });
  splits.resize(std::min<std::size_t>(splits.size(), all_splits));
  for (const int count : splits) all.push_back({ruled.raster, count});
  return all;
}

Machine machine_or_h200() {
  int count = 0;
  const bool there = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  return there ? tile::device::current_machine() : Machine{};
}

}  // namespace

std::vector<Candidate> GemmTuner::candidates(const GemmKey& key) {
  const GemmProblem problem = problem_anywhere(key);
  const Machine machine = machine_or_h200();
  const auto recipes = tile::device::gemm_recipes();
  const Choice ruled = tile::device::choose(problem, machine, recipes);
  std::vector<Candidate> all;
  std::size_t own = 0;
  for (const KernelDescription& recipe : recipes) {
    const auto taken = tile::device::oriented(recipe, problem);
    if (!taken || !tile::device::runs_on(recipe, machine)) continue;
    if (recipe.name == ruled.recipe) own = all.size();
    const auto estimated = tile::device::estimate(recipe, *taken, machine);
    for (const LaunchChoice& launch : launches(recipe, estimated.launch))
      all.push_back({{recipe.name, launch.raster, launch.splits},
                     needs_of(recipe.family),
                     prepared(key, {recipe.name, launch})});
  }
  if (own > 0)
    std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own),
                all.begin() + static_cast<std::ptrdiff_t>(own) + 1);
  return all;
}

std::unique_ptr<Tuner> make_gemm_tuner() { return std::make_unique<GemmTuner>(); }

}  // namespace aisp::app
