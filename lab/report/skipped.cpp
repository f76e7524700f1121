#include "lab/report/skipped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.hpp"

namespace aisp::lab {
namespace {

constexpr std::size_t most_listed = 3, most_targets = 4;

std::vector<RowRecord> skipped_rows(const RunFile& run) {
  auto rows = latest_rows(run);
  std::erase_if(rows, [](const RowRecord& row) { return row.status != RowStatus::skipped; });
  return rows;
}

struct Reason {
  int rows = 0;
  std::vector<std::string> targets;
};

std::string shortened(std::vector<std::string> targets) {
  const std::size_t more = targets.size() - std::min(targets.size(), most_targets);
  targets.resize(targets.size() - more);
  return base::join(targets, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

bool has_many_skipped(const RunFile& run) { return skipped_rows(run).size() > most_listed; }

RunFile without_skipped(RunFile run) {
  std::erase_if(run.rows, [](const RowRecord& row) { return row.status == RowStatus::skipped; });
  return run;
}

std::string skipped_counts(const RunFile& run, const std::string& command) {
  const auto rows = skipped_rows(run);
  std::map<std::string, Reason> reasons;
  for (const auto& row : rows) {
    Reason& reason = reasons[row.reason];
    ++reason.rows;
    const std::string target = row.entry.substr(0, row.entry.find('/'));
    if (std::find(reason.targets.begin(), reason.targets.end(), target) == reason.targets.end())
      reason.targets.push_back(target);
  }
  std::string text = fmt::format("{} rows were skipped; '{}' lists them\n", rows.size(), command);
  for (const auto& [why, reason] : reasons)
    text += fmt::format("  {}: {} ({})\n", reason.rows, why, shortened(reason.targets));
  return text;
}

}  // namespace aisp::lab
