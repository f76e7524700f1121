// Expectations from a run.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/expect/counts.hpp"
#include "lab/expect/judged.hpp"
#include "lab/expect/spread.hpp"

namespace aisp::lab {
namespace {

struct Tolerated {
  double tolerance;
  std::string why;
};

Tolerated tolerated(const RowRecord& row, const RunFile& run, double spread) {
  if (run.device->simulated) return {std::max(counted_tolerance, spread), "counted"};
  Tolerated most{default_tolerance, ""};
  if (std::find(row.throttle.begin(), row.throttle.end(), "sw power cap") != row.throttle.end())
    most = {power_cap_tolerance, "power cap"};
  // Such a time is not judged, however far its samples scatter.
  if (bound_by_host(row)) return {host_tolerance, host_reason};
  if (tolerated_spreads * spread > most.tolerance)
    most = {tolerated_spreads * spread, "spread of its samples"};
  return most;
}

bool works_on_host(const RowRecord& row, const RunFile& run) {
  const EntryPlan* plan = plan_of(run, row.entry);
  const Target* target = plan != nullptr ? find_target(plan->target) : nullptr;
  if (target == nullptr) return false;
  const auto& rungs = rungs_of(*target);
  return std::any_of(rungs.begin(), rungs.end(),
                     [&](const Rung& rung) { return rung.name == row.rung && rung.blocks_host; });
}

ExpectedTime time_of(const RowRecord& row, const RunFile& run, const ExpectedTime* before) {
  const double spread = relative_spread(row, run);
  const auto [tolerance, why] = tolerated(row, run, spread);
  const bool near_host = row.host_share && *row.host_share >= host_share_kept;
  return {
      .median_ms = row.median_ms,
      // The interval comes from resampling and may miss its own median by rounding.
      .low_ms = std::min(row.low_ms > 0 ? row.low_ms : row.median_ms, row.median_ms),
      .high_ms = std::isfinite(row.high_ms) ? std::max(row.high_ms, row.median_ms) : row.median_ms,
      .samples = std::max(row.samples, 1),
      .spread = spread,
      .tolerance = tolerance,
      .why = why,
      .best_ms = before != nullptr ? std::min(before->best_ms, row.median_ms) : row.median_ms,
      .host_share = near_host && std::isfinite(*row.host_share)
                        ? std::optional(std::round(100 * *row.host_share) / 100)
                        : std::nullopt,
      .counts = run.device->simulated ? updated_counts(row, before, works_on_host(row, run))
                                      : CountValues{},
      .run = run.header.id};
}

// What got worse in a row that goes in: every larger count, or the time where it is 0.1 % or more
// and was judged. "" where nothing did.
std::string worsened(const Finding& finding, bool accepted) {
  constexpr double shown = 0.0005;
  std::vector<std::string> parts;
  for (const auto& change : finding.changes)
    if (change.is_worse()) parts.push_back(text_of(change));
  if (!finding.counted && finding.expected_ms > 0 && finding.ratio > 1 + shown) {
    char percent[32];
    std::snprintf(percent, sizeof percent, "%+.1f %%", 100 * (finding.ratio - 1));
    parts.push_back(base::say("time ", base::duration(finding.expected_ms), " -> ",
                              base::duration(finding.measured_ms), " (", percent, ")"));
  }
  if (parts.empty()) return "";
  return base::say(finding.entry, ' ', finding.rung, ": ", base::join(parts, ", "),
                   accepted ? ", accepted" : ", within its tolerance");
}

void drop_unused_provenance(Expectations& expectations) {
  std::set<std::string> used;
  for (const auto& [entry, rungs] : expectations.entries)
    for (const auto& [rung, time] : rungs) used.insert(time.run);
  std::erase_if(expectations.provenance,
                [&](const auto& item) { return !used.contains(item.first); });
}

}  // namespace

ExpectationUpdate update_expectations(Expectations& expectations, const RunFile& run,
                                      bool accept_regressions) {
  const auto rows = latest_rows(run);
  ExpectationUpdate update;
  std::vector<const RowRecord*> written;
  for (auto& [row, finding] : judge_rows(expectations, run, rows)) {
    const bool timed = row && has_time(*row);
    const ExpectedTime* before = expectations.find(finding.entry, finding.rung);
    const bool crept = timed && before != nullptr && !finding.counted &&
                       finding.kind != Finding::other_conditions &&
                       row->median_ms > before->best_ms * (1 + before->tolerance);
    if (crept && finding.kind != Finding::regression) {
      finding.kind = Finding::regression;
      finding.line = base::say(
          finding.entry, ' ', finding.rung, ": regression, ", base::duration(row->median_ms),
          " against ", base::duration(before->best_ms), ", the best that was ever written here");
    }
    const bool regressed = finding.kind == Finding::regression;
    const bool allowed =
        finding.kind != Finding::other_conditions && (!regressed || accept_regressions);
    if (timed && allowed) {
      // What was accepted once is the new best.
      expectations.entries[row->entry][row->rung] = time_of(*row, run, crept ? nullptr : before);
      written.push_back(row);
      if (const std::string line = worsened(finding, regressed); !line.empty())
        update.worsened.push_back(line);
    }
    (timed && allowed ? update.written : update.kept).push_back(std::move(finding));
  }
  if (!written.empty()) expectations.provenance[run.header.id] = provenance_of(run, written);
  drop_unused_provenance(expectations);
  return update;
}

}  // namespace aisp::lab
