#include "lab/report/count_changes.hpp"

#include <fmt/format.h>

#include <map>

#include "lab/expect/counts.hpp"
#include "lab/report/counts.hpp"

namespace aisp::lab {

bool ChangedCount::is_worse() const {
  const auto allowed = count_tolerance(count);
  return allowed && b > a * (1 + *allowed);
}

std::string ChangedCount::verdict() const {
  if (is_worse()) return "worse";
  const auto allowed = count_tolerance(count);
  if (!allowed) return "not judged";
  return b * (1 + *allowed) < a ? "better" : "same";
}

CountComparison compare_counted(const RunFile& a, const RunFile& b) {
  std::map<std::pair<std::string, std::string>, RowRecord> others;
  for (const auto& row : latest_rows(b)) others[{row.entry, row.rung}] = row;
  CountComparison comparison;
  for (const auto& row : latest_rows(a)) {
    const auto other = others.find({row.entry, row.rung});
    if (other == others.end() || row.counts.empty() || other->second.counts.empty()) continue;
    ++comparison.rungs;
    bool worse = false;
    for (const auto& [count, before] : row.counts)
      for (const auto& [same, after] : other->second.counts) {
        if (same != count || before == after) continue;
        comparison.changes.push_back({row.entry, row.rung, count, before, after});
        worse = worse || comparison.changes.back().is_worse();
      }
    comparison.worse += worse ? 1 : 0;
  }
  return comparison;
}

std::string change_text(const ChangedCount& change) {
  if (change.a == 0) return "from 0";
  return fmt::format("{:+.1f} %", 100 * (change.b / change.a - 1));
}

Table changes_table(const CountComparison& comparison) {
  Table table{
      .columns =
          {{"entry"}, {"rung"}, {"count"}, {"A", true}, {"B", true}, {"change", true}, {"verdict"}},
      .rows = {}};
  for (const auto& change : comparison.changes)
    table.rows.push_back({change.entry, change.rung, std::string(name_of(change.count)),
                          text_of(change.count, change.a), text_of(change.count, change.b),
                          change_text(change), change.verdict()});
  return table;
}

}  // namespace aisp::lab
