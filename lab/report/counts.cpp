#include "lab/report/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/report/row_cells.hpp"

namespace aisp::lab {
namespace {

std::optional<double> value_of(const RowRecord& row, Count count) {
  for (const auto& record : row.counts)
    if (record.count == count) return record.value;
  return std::nullopt;
}

const Target* target_of(const RunFile& run, const RowRecord& row) {
  const EntryPlan* plan = plan_of(run, row.entry);
  return plan != nullptr ? find_target(plan->target) : nullptr;
}

// The last word on the ladder's first rung in the same entry; null where it did not run.
const RowRecord* baseline_of(const RunFile& run, const Target& target, const RowRecord& row) {
  const std::string& first = rungs_of(target).front().name;
  const RowRecord* found = nullptr;
  for (const auto& other : run.rows)
    if (other.entry == row.entry && other.rung == first &&
        (found == nullptr || other.attempt >= found->attempt))
      found = &other;
  return found;
}

}  // namespace

std::string text_of(Count count, double value) {
  switch (count) {
    case Count::l2_bytes:
    case Count::distinct_bytes:
      return base::with_prefix(value, "B");
    case Count::overlap:
      return fmt::format("{:.0f} %", value);
    default:
      return fmt::format("{:.0f}", value);
  }
}

bool is_better(Count count, double value, double than) {
  return count == Count::overlap ? value > than : value < than;
}

bool Idea::is_shown() const {
  return !is_baseline && baseline && is_better(count, here, *baseline);
}

std::optional<Idea> idea_of(const RunFile& run, const RowRecord& row) {
  const Target* target = target_of(run, row);
  if (target == nullptr || !target->shows_in) return std::nullopt;
  const Count count = *target->shows_in;
  const auto here = value_of(row, count);
  if (!here) return std::nullopt;
  const RowRecord* first = baseline_of(run, *target, row);
  return Idea{.count = count,
              .baseline = first != nullptr ? value_of(*first, count) : std::nullopt,
              .here = *here,
              .is_baseline = first != nullptr && first->rung == row.rung};
}

std::string why_no_count(const Target& target) {
  return target.shows_nowhere.empty() ? target.id() + " names no count (Target::shows_in)"
                                      : target.shows_nowhere;
}

std::string shown_idea(const RunFile& run, const RowRecord& row) {
  const Target* target = target_of(run, row);
  if (target == nullptr || row.counts.empty()) return "";
  const auto idea = idea_of(run, row);
  if (!idea) return target->shows_nowhere.empty() ? "" : no_count_shows_it;
  const auto text = [&](double value) { return text_of(idea->count, value); };
  if (idea->is_baseline || !idea->baseline)
    return fmt::format("{} {}", name_of(idea->count), text(idea->here));
  const std::string change =
      fmt::format("{} {} -> {}", name_of(idea->count), text(*idea->baseline), text(idea->here));
  return idea->is_shown() ? change : fmt::format("{} ({})", no_count_shows_it, change);
}

Table counts_table(const RunFile& run) {
  Table table{.columns = {{"target"}, {"size"}, {"rung"}, {"status"}, {"check", true}}, .rows = {}};
  for (const auto& [count, name] : names_of(Count{}))
    table.columns.push_back({std::string(name), true});
  table.columns.push_back({"the idea"});
  for (const auto& row : latest_rows(run)) {
    const EntryPlan* plan = plan_of(run, row.entry);
    std::vector<std::string> cells{plan != nullptr ? plan->target : row.entry, size_of(row.entry),
                                   row.rung + (row.peer ? " (peer)" : ""),
                                   status_word(row.status, true), worst_check(run, row)};
    for (const auto& [count, name] : names_of(Count{})) {
      const auto value = value_of(row, count);
      cells.push_back(value ? text_of(count, *value) : "");
    }
    cells.push_back(shown_idea(run, row));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string uncounted_notes(const RunFile& run) {
  std::string text;
  std::set<std::string> noted;
  for (const auto& entry : run.header.plan) {
    const Target* target = find_target(entry.target);
    if (target == nullptr || target->shows_nowhere.empty() || !noted.insert(entry.target).second)
      continue;
    text += fmt::format("{}: no count shows its idea: {}\n", entry.target, target->shows_nowhere);
  }
  return text;
}

}  // namespace aisp::lab
