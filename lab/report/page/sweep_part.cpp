// A recorded sweep for the page: its rows on their axes, what bounds each and where that changes.
#include "base/refuse.hpp"
#include "lab/report/comparison.hpp"
#include "lab/report/page/parts.hpp"
#include "lab/report/sweep.hpp"

namespace aisp::lab::page {
namespace {

using nlohmann::json;

// The roof that the row was judged by; of a counted time the one that the vendor's figures give.
std::optional<Roof> roof_for(const RunFile& run, const RowRecord& row,
                             const AttemptRecord& attempt) {
  if (!is_simulated(run))
    return row.roof.empty() ? std::nullopt : std::optional(Roof{.name = row.roof});
  const std::string& hardware = run.device->hardware;  // "h200-simulated"
  const auto ceilings = datasheet(hardware.substr(0, hardware.find('-')));
  const auto unit = value_named<Unit>(attempt.unit);
  return ceilings && unit ? roof_of(attempt.flops, attempt.bytes, *unit, *ceilings) : std::nullopt;
}

// "D=64": where it lies off the first axes.
std::string rest_of(const RunFile& run, const EntryPlan& plan, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < plan.at.size(); ++i)
    text += base::say(i > first ? " " : "", run.header.sweep[i], '=', plan.at[i]);
  return text;
}

}  // namespace

json sweep_part(const RunFile& run, std::size_t place) {
  if (run.header.sweep.empty()) return nullptr;
  struct Point {
    SweepRow row;
    std::string rest, panel;  // off the first axis, and off the first two
  };
  std::map<std::string, std::vector<Point>> lines;  // by rung and rest, each along the first axis
  std::string target;
  const double launch = is_simulated(run) ? 0 : launch_time(run);
  for (const auto& record : latest_rows(run)) {
    const EntryPlan* plan = plan_of(run, record.entry);
    const AttemptRecord* attempt = attempt_of(run, record);
    if (plan == nullptr || attempt == nullptr || plan->at.size() != run.header.sweep.size() ||
        record.samples == 0 || record.status != RowStatus::measured)
      continue;
    target = plan->target;
    SweepRow row{.values = plan->at,
                 .rung = record.rung,
                 .samples = record.samples,
                 .median_ms = record.median_ms,
                 .flops = attempt->flops,
                 .bytes = attempt->bytes};
    row.bound = bound_of(row.median_ms, launch, roof_for(run, record, *attempt));
    const std::string rest = rest_of(run, *plan, 1);
    lines[record.rung + '\n' + rest].push_back({row, rest, rest_of(run, *plan, 2)});
  }
  json rows = json::array();
  for (auto& [key, points] : lines) {
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
      return a.row.values.front() < b.row.values.front();
    });
    std::vector<SweepRow*> along;
    for (auto& point : points) along.push_back(&point.row);
    mark_changes(along);
    for (const auto& [row, rest, panel] : points) {
      rows.push_back({{"rung", row.rung},
                      {"rest", rest},
                      {"panel", panel},
                      {"x", row.values.front()},
                      {"median", rounded(row.median_ms)},
                      {"flops", row.flops},
                      {"bytes", row.bytes},
                      {"bound", row.bound},
                      {"before", row.bound_before}});
      if (row.values.size() > 1) rows.back()["y"] = row.values[1];
    }
  }
  if (rows.empty()) return nullptr;
  return {{"run", place},
          {"target", target},
          {"axes", run.header.sweep},
          {"simulated", is_simulated(run)},
          {"rows", std::move(rows)}};
}

}  // namespace aisp::lab::page
