#include "lab/report/sweep.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "lab/report/counts.hpp"
#include "lab/report/results.hpp"

namespace aisp::lab {
namespace {

SweepRow row_at(const SweepPoint& point) {
  SweepRow row{.values = point.values, .size = point.size.label()};
  row.flops = point.flops;
  row.bytes = point.bytes;
  row.computes = point.unit != Unit::none && point.flops > 0;
  return row;
}

// All that a run and a plan say about one sweep, gathered by line of the plot.
class Gathering {
 public:
  Gathering(const SweepPlan& plan, const RunFile& run, const std::optional<Ceilings>& ceilings)
      : plan_(plan), run_(run), ceilings_(ceilings) {
    sweep_.target = plan.target->id();
    sweep_.variant = plan.variant;
    sweep_.device = run.device ? run.device->name : "";
    sweep_.simulated = run.device && run.device->simulated;
    sweep_.axes = plan.axes;
    sweep_.launch_ms = sweep_.simulated ? 0 : launch_time(run);
    sweep_.roofs_known = ceilings.has_value();
    sweep_.shows_in = plan.target->shows_in;
    if (!plan.target->shows_in) sweep_.shows_nowhere = why_no_count(*plan.target);
    for (const auto& row : latest_rows(run)) rows_[row.entry].push_back(row);
  }

  SweepResult gather() {
    for (const auto& others : distinct_others()) {
      std::vector<std::string> rungs;  // in the order of the plan, which is the ladder's
      for (const auto* point : points_at(others))
        if (const auto* entry = plan_of(run_, plan_.entry_of(*point)))
          for (const auto& rung : entry->rungs)
            if (std::find(rungs.begin(), rungs.end(), rung) == rungs.end()) rungs.push_back(rung);
      for (const auto& rung : rungs) add_line(others, rung);
      for (const auto* point : points_at(others))
        if (!point->refused.empty()) add_refused(*point);
    }
    return std::move(sweep_);
  }

 private:
  using Values = std::vector<std::int64_t>;

  static Values others_of(const Values& values) { return {values.begin() + 1, values.end()}; }

  std::vector<Values> distinct_others() const {
    std::vector<Values> all;
    for (const auto& point : plan_.points)
      if (const auto others = others_of(point.values);
          std::find(all.begin(), all.end(), others) == all.end())
        all.push_back(others);
    return all;
  }

  // In ascending order along the first axis, as the plan has them.
  std::vector<const SweepPoint*> points_at(const Values& others) const {
    std::vector<const SweepPoint*> points;
    for (const auto& point : plan_.points)
      if (others_of(point.values) == others) points.push_back(&point);
    return points;
  }

  void add_line(const Values& others, const std::string& rung) {
    std::vector<SweepRow> line;
    for (const auto* point : points_at(others))
      for (const auto& row : rows_[plan_.entry_of(*point)])
        if (row.rung == rung) line.push_back(make_row(*point, row));
    std::vector<SweepRow*> pointers;
    for (auto& row : line) pointers.push_back(&row);
    mark_changes(pointers);
    sweep_.rows.insert(sweep_.rows.end(), line.begin(), line.end());
  }

  SweepRow make_row(const SweepPoint& point, const RowRecord& record) const {
    SweepRow row = row_at(point);
    row.rung = record.rung;
    row.peer = record.peer;
    row.status = record.status;
    row.reason = record.reason.empty() ? record.note : record.reason;
    row.samples = record.samples;
    row.median_ms = record.median_ms;
    row.low_ms = record.low_ms;
    row.high_ms = record.high_ms;
    row.speedup = sweep_.simulated ? 0 : record.speedup;
    row.roof_share = record.roof_share;
    row.counts = record.counts;
    if (sweep_.simulated) row.idea = shown_idea(run_, record);
    if (!row.timed() || record.status != RowStatus::measured) return row;
    const auto roof = ceilings_
                          ? roof_of(point.flops, point.bytes, point.unit, *ceilings_, point.link)
                          : std::nullopt;
    row.bound = bound_of(row.median_ms, sweep_.launch_ms, roof);
    return row;
  }

  void add_refused(const SweepPoint& point) {
    SweepRow row = row_at(point);
    row.status = RowStatus::refused;
    row.reason = point.refused;
    sweep_.rows.push_back(std::move(row));
  }

  const SweepPlan& plan_;
  const RunFile& run_;
  const std::optional<Ceilings>& ceilings_;
  std::map<std::string, std::vector<RowRecord>> rows_;  // by entry
  SweepResult sweep_;
};

}  // namespace

std::optional<double> SweepRow::count_of(Count wanted) const {
  for (const auto& [count, value] : counts)
    if (count == wanted) return value;
  return std::nullopt;
}

bool SweepResult::is_drawn(const SweepRow& row) const {
  // A time that the machine does not allow is no result to draw.
  if (!row.timed() || row.status == RowStatus::refused) return false;
  return !simulated || (shows_in && row.count_of(*shows_in));
}

double launch_time(const RunFile& run) {
  for (const auto& row : latest_rows(run))
    if (row.status == RowStatus::measured &&
        row.entry.starts_with(std::string(launch_target) + "/"))
      return row.median_ms;
  return 0;
}

std::string bound_of(double median_ms, double launch_ms, const std::optional<Roof>& roof) {
  if (launch_ms > 0 && median_ms <= launch_factor * launch_ms) return "launch";
  return roof ? roof->name : "";
}

void mark_changes(std::vector<SweepRow*>& rows) {
  std::string before;
  for (auto* row : rows) {
    if (row->bound.empty()) continue;
    row->bound_before = before.empty() || before == row->bound ? "" : before;
    before = row->bound;
  }
}

std::optional<Ceilings> datasheet(const std::string& hardware) {
  // Dense rates, without sparsity.
  if (hardware == "h200")
    return Ceilings{.copy_bytes_per_s = 4.8e12,
                    .to_device_bytes_per_s = 63e9,  // PCIe 5, 16 lanes
                    .to_host_bytes_per_s = 63e9,
                    .both_ways_bytes_per_s = 126e9,
                    .fma_f32 = 67e12,
                    .fma_f16 = 134e12,
                    .matrix_tf32 = 494.5e12,
                    .matrix_bf16 = 989.5e12,
                    .matrix_fp8 = 1979e12};
  if (hardware == "a100")
    return Ceilings{.copy_bytes_per_s = 2.039e12,
                    .to_device_bytes_per_s = 31.5e9,  // PCIe 4
                    .to_host_bytes_per_s = 31.5e9,
                    .both_ways_bytes_per_s = 63e9,
                    .fma_f32 = 19.5e12,
                    .fma_f16 = 78e12,
                    .matrix_tf32 = 156e12,
                    .matrix_bf16 = 312e12};
  if (hardware == "b200")
    return Ceilings{.copy_bytes_per_s = 8e12,
                    .to_device_bytes_per_s = 63e9,
                    .to_host_bytes_per_s = 63e9,
                    .both_ways_bytes_per_s = 126e9,
                    .fma_f32 = 75e12,
                    .fma_f16 = 150e12,
                    .matrix_tf32 = 1100e12,
                    .matrix_bf16 = 2250e12,
                    .matrix_fp8 = 4500e12};
  return std::nullopt;
}

SweepResult sweep_result(const SweepPlan& plan, const RunFile& run,
                         const std::optional<Ceilings>& ceilings) {
  return Gathering(plan, run, ceilings).gather();
}

std::string other_values(const SweepResult& sweep, const SweepRow& row) {
  std::vector<std::string> words;
  for (std::size_t i = 1; i < sweep.axes.size(); ++i)
    words.push_back(sweep.axes[i].name + "=" + std::to_string(row.values[i]));
  return base::join(words, " ");
}

}  // namespace aisp::lab
