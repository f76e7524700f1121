// A recorded sweep for the page: its rows on their axes, what bounds each and where that changes.
#include "base/refuse.hpp"
#include "lab/case/registry.hpp"
#include "lab/report/comparison.hpp"
#include "lab/report/counts.hpp"
#include "lab/report/page/parts.hpp"
#include "lab/report/sweep.hpp"

namespace aisp::lab::page {
namespace {

using nlohmann::json;

// The roof that the row was judged by; of a simulated one that which the vendor's figures give.
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

// A time and the work done in it; of a simulated row the count that shows the idea.
void add_value(json& point, const SweepRow& row, bool simulated, const Target* target) {
  if (!simulated) {
    point["median"] = rounded(row.median_ms);
    point["flops"] = row.flops;
    point["bytes"] = row.bytes;
  } else if (target != nullptr && target->shows_in) {
    if (const auto value = row.count_of(*target->shows_in)) {
      point["value"] = *value;
      point["text"] = text_of(*target->shows_in, *value);
    }
  }
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
                 .bytes = attempt->bytes,
                 .counts = record.counts};
    row.bound = bound_of(row.median_ms, launch, roof_for(run, record, *attempt));
    const std::string rest = rest_of(run, *plan, 1);
    lines[record.rung + '\n' + rest].push_back({row, rest, rest_of(run, *plan, 2)});
  }
  const Target* known = find_target(target);
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
                      {"bound", row.bound},
                      {"before", row.bound_before}});
      if (row.values.size() > 1) rows.back()["y"] = row.values[1];
      add_value(rows.back(), row, is_simulated(run), known);
    }
  }
  if (rows.empty()) return nullptr;
  json part{{"run", place},
            {"target", target},
            {"axes", run.header.sweep},
            {"simulated", is_simulated(run)}};
  if (is_simulated(run)) {
    if (known != nullptr && known->shows_in) {
      part["count"] = name_of(*known->shows_in);
      part["more"] = is_better(*known->shows_in, 1, 0);
      std::erase_if(rows.get_ref<json::array_t&>(),
                    [](const json& row) { return !row.contains("value"); });
    } else {
      part["nowhere"] = known != nullptr ? why_no_count(*known) : "this aisp has no such target";
      rows = json::array();
    }
  }
  part["rows"] = std::move(rows);
  return part;
}

}  // namespace aisp::lab::page
