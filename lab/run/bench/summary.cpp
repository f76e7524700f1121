#include "lab/run/bench/summary.hpp"

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

void place_under_roof(RowRecord& row, const RoofContext& context) {
  if (!context.ceilings) return;
  const auto roof =
      roof_of(context.flops, context.bytes, context.unit, *context.ceilings, context.link);
  if (!roof) return;
  row.roof = roof->name;
  row.roof_ms = roof->floor_ms;
  row.roof_share = roof->share(row.median_ms);
  const double travel = travel_share(context.l2, context.sets, context.bytes, context.written_bytes,
                                     context.l2_bytes);
  // Matrix rates move with power and data: zeros run 13 % faster than random numbers on an H200. A
  // rung that skips its work is faster by factors, not by a fifth.
  constexpr double arithmetic_slack = 0.20;
  if (!below_floor(row.median_ms, *roof, arithmetic_slack, {.travel_share = travel})) return;
  row.status = RowStatus::refused;
  row.reason = base::say("median ", base::duration(row.median_ms), " is below the ", roof->name,
                         " roof's floor of ", base::duration(roof->floor_ms),
                         ": the rung cannot have done the work; or the ceilings are stale: aisp "
                         "doctor --measure");
}

}  // namespace

void summarize(RowRecord& row, std::span<const double> samples, std::span<const double> baseline,
               bool is_baseline, const RoofContext& context) {
  row.status = RowStatus::measured;
  row.samples = static_cast<int>(samples.size());
  row.median_ms = median({samples.begin(), samples.end()});
  const Interval interval = bootstrap_median(samples);
  row.low_ms = interval.low;
  row.high_ms = interval.high;
  if (is_baseline) {
    row.speedup = row.speedup_low = row.speedup_high = 1;
  } else if (!baseline.empty()) {
    const Comparison comparison = compare(baseline, samples);
    row.speedup = comparison.ratio;
    row.speedup_low = comparison.interval.low;
    row.speedup_high = comparison.interval.high;
    row.verdict = comparison.verdict;
    row.p_value = comparison.p;
  }
  place_under_roof(row, context);
}

}  // namespace aisp::lab
