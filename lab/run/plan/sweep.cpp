#include "lab/run/plan/sweep.hpp"

#include <strings.h>

#include <algorithm>
#include <optional>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/case/sizes.hpp"

namespace aisp::lab {
namespace {

// As for --sizes: more elements than any machine holds.
constexpr std::int64_t most_elements = std::int64_t{1} << 50;

Selection select_one(const SweepOptions& options) {
  const auto selected = select_targets(options.target);
  if (selected.size() != 1)
    base::refuse(base::Exit::usage, "a sweep takes one target; '", options.target, "' are ",
                 selected.size());
  return selected.front();
}

std::string variant_of(const Selection& selection, const SweepOptions& options) {
  const Target& target = *selection.target;
  const std::string& wanted = options.variant;
  if (wanted.empty())
    return selection.variant.empty() ? target.variants.front() : selection.variant;
  require_variant(target, wanted);
  if (!selection.variant.empty() && selection.variant != wanted)
    base::refuse(base::Exit::usage, "'", options.target, "' is variant ", selection.variant, " of ",
                 target.id(), ", and --variant says ", wanted);
  return wanted;
}

Size first_size(const Target& target, const std::string& variant, bool quick) {
  for (const auto& size : quick ? target.quick : target.full)
    if (size.variant == variant) return size;
  base::refuse(base::Exit::usage, target.id(), " has no size of variant ", variant);
}

// An axis is often a single letter: the same in the other case is nearer than any other letter.
std::optional<std::string> nearest_axis(const std::string& name,
                                        const std::vector<std::string>& axes) {
  for (const auto& axis : axes)
    if (strcasecmp(axis.c_str(), name.c_str()) == 0) return axis;
  return name.size() > 1 ? base::nearest(name, axes) : std::nullopt;
}

// The place of each swept axis among the target's.
std::vector<std::size_t> places_of(const Target& target, const std::vector<SweepAxis>& axes) {
  std::vector<std::size_t> places;
  for (const auto& axis : axes) {
    const auto found = std::find(target.axes.begin(), target.axes.end(), axis.name);
    if (found == target.axes.end()) {
      const auto near = nearest_axis(axis.name, target.axes);
      base::refuse(base::Exit::usage, target.id(), " has no axis '", axis.name, "'",
                   near ? "; did you mean '" + *near + "'? " : "; ", "it has ",
                   base::join(target.axes, ", "));
    }
    places.push_back(static_cast<std::size_t>(found - target.axes.begin()));
  }
  return places;
}

void refuse_too_large(const Size& size) {
  std::int64_t product = 1;
  for (const auto extent : size.dims) {
    if (extent > most_elements / product)
      base::refuse(base::Exit::usage, "'", size.label(), "' multiplies to more than 2^50 elements");
    product *= std::max<std::int64_t>(extent, 1);
  }
}

SweepPoint make_point(const Target& target, const Size& base, const std::vector<bool>& given,
                      const std::vector<std::size_t>& places,
                      const std::vector<std::int64_t>& values) {
  SweepPoint point{.values = values, .size = base, .refused = ""};
  for (std::size_t i = 0; i < places.size(); ++i) point.size.dims[places[i]] = values[i];
  try {
    refuse_too_large(point.size);
    if (target.complete) target.complete(point.size, given);
    const Problem problem = target.problem(point.size);
    point.flops = problem.flops;
    point.bytes = problem.bytes;
    point.link = {problem.to_device, problem.to_host};
    point.unit = problem.unit;
  } catch (const base::Refusal& refusal) {
    point.refused = refusal.what();
  }
  return point;
}

}  // namespace

const Target& target_of(const SweepOptions& options) { return *select_one(options).target; }

SweepPlan plan_sweep(const SweepOptions& options, bool quick) {
  const Selection selection = select_one(options);
  const Target& target = *selection.target;
  SweepPlan plan{.target = &target,
                 .variant = variant_of(selection, options),
                 .axes = parse_axes(options.axes),
                 .points = {}};
  const auto places = places_of(target, plan.axes);
  const Size base = first_size(target, plan.variant, quick);
  std::vector<bool> given(target.axes.size(), false);
  for (const auto place : places) given[place] = true;
  for (const auto& values : product_of(plan.axes))
    plan.points.push_back(make_point(target, base, given, places, values));
  const auto taken = [](const SweepPoint& point) { return point.refused.empty(); };
  if (std::none_of(plan.points.begin(), plan.points.end(), taken))
    base::refuse(base::Exit::usage, target.id(), " takes no size of this sweep; ",
                 plan.points.front().size.label(), ": ", plan.points.front().refused);
  return plan;
}

RunOptions options_of(const SweepPlan& plan, const RunOptions& given, bool with_launch) {
  RunOptions options = given;
  options.targets = plan.target->id();
  options.variant = plan.variant;
  for (const auto& axis : plan.axes) options.sweep.push_back(axis.name);
  std::vector<std::string> seen;  // two points may complete to the same size
  for (const auto& point : plan.points) {
    const std::string label = point.size.label();
    if (!point.refused.empty() || std::find(seen.begin(), seen.end(), label) != seen.end())
      continue;
    seen.push_back(label);
    options.extents.push_back(point.size.dims);
    options.at.push_back(point.values);
  }
  if (const Target* launch = with_launch ? find_target(launch_target) : nullptr) {
    const Size& size = launch->full.front();
    options.before.push_back({.entry = launch->id() + "/" + size.label(),
                              .target = launch->id(),
                              .variant = size.variant,
                              .dims = size.dims,
                              .rungs = {rungs_of(*launch).front().name}});
  }
  return options;
}

}  // namespace aisp::lab
