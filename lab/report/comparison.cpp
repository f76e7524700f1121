#include "lab/report/comparison.hpp"

#include <map>

#include "base/refuse.hpp"

namespace aisp::lab {

bool is_simulated(const RunFile& run) { return run.device && run.device->simulated; }

std::string why_not_compared(const RunFile& a, const RunFile& b) {
  if (is_simulated(a) == is_simulated(b)) return "";
  const RunFile& simulated = is_simulated(a) ? a : b;
  return base::say("run ", simulated.header.id, " was simulated (", simulated.device->name,
                   ") and the other measured: their times are not compared");
}

std::vector<ComparedRow> compare_runs(const RunFile& a, const RunFile& b) {
  std::map<std::pair<std::string, std::string>, RowRecord> others;
  for (const auto& row : latest_rows(b)) others[{row.entry, row.rung}] = row;
  const RowTimes times_a(a), times_b(b);
  std::vector<ComparedRow> compared;
  for (const auto& row : latest_rows(a)) {
    const auto other = others.find({row.entry, row.rung});
    if (other == others.end() || row.samples == 0 || other->second.samples == 0) continue;
    compared.push_back(
        {row.entry, row.rung, row.median_ms, other->second.median_ms,
         compare(times_a.of(row), times_b.of(other->second), least_effect_between_runs)});
  }
  return compared;
}

}  // namespace aisp::lab
