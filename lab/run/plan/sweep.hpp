// A sweep: one target at the product of some of its axes. Planned here, run as any other run.
#pragma once

#include <string>
#include <vector>

#include "lab/case/case.hpp"
#include "lab/measure/roofline.hpp"
#include "lab/run/plan/options.hpp"
#include "lab/run/plan/sweep_axis.hpp"

namespace aisp::lab {

// The target whose time is that of a kernel launch that does next to nothing.
inline constexpr const char* launch_target = "roof:launch";

struct SweepPoint {
  std::vector<std::int64_t> values;  // of the axes, in their order
  Size size;
  double flops = 0, bytes = 0;
  LinkBytes link{};
  Unit unit = Unit::none;
  std::string refused;  // why the target does not take this size; "" when it does
};

struct SweepPlan {
  const Target* target = nullptr;
  std::string variant;
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;

  std::string entry_of(const SweepPoint& point) const {
    return target->id() + "/" + point.size.label();
  }
};

// The one target that is swept. Refuses (Exit::usage) unknown names and several targets.
const Target& target_of(const SweepOptions& options);

// Axes that are not swept have the extents of the variant's first quick or full size, and those
// that follow from others are filled in by the target. Refuses (Exit::usage) unknown names and a
// sweep of which no point is taken.
SweepPlan plan_sweep(const SweepOptions& options, bool quick);

// What the run of the sweep is asked for: its points, and before them an empty launch, where there
// is such a target and times are measured.
RunOptions options_of(const SweepPlan& plan, const RunOptions& given, bool with_launch);

}  // namespace aisp::lab
