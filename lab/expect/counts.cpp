#include "lab/expect/counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

// Warps that wait for an mbarrier or a flag in a loop execute it as often as the order of blocks on
// the host's threads lets them. Two runs of 497 rungs differed in the instructions of 26, by 0.2 %
// at most; every other judged count was the same in all of them.
constexpr double polling_tolerance = 0.01;

std::string whole(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

}  // namespace

std::optional<double> count_tolerance(Count count) {
  switch (count) {
    case Count::launches:
    case Count::l2_bytes:
    case Count::distinct_bytes:
    case Count::wavefronts:
    case Count::bank_conflicts:
    case Count::tensor_operations:
      return 0;
    case Count::instructions:
      return polling_tolerance;
    case Count::waits:
    case Count::overlap:
      return std::nullopt;
  }
  return std::nullopt;
}

CountValues judged_counts(const RowRecord& row) {
  CountValues counts;
  for (const auto& [count, value] : row.counts)
    if (count_tolerance(count) && std::isfinite(value) && value >= 0) counts[count] = value;
  return counts;
}

std::vector<CountChange> compare_counts(const RowRecord& row, const ExpectedTime& expected) {
  const CountValues here = judged_counts(row);
  std::vector<CountChange> changes;
  for (const auto& [count, before] : expected.counts) {
    const double slack = 1 + count_tolerance(count).value_or(0);
    const auto found = here.find(count);
    const double now =
        found != here.end() ? found->second : std::numeric_limits<double>::quiet_NaN();
    if (!(now <= before * slack) || now * slack < before) changes.push_back({count, before, now});
  }
  return changes;
}

CountValues updated_counts(const RowRecord& row, const ExpectedTime* before, bool host_decides) {
  CountValues counts = judged_counts(row);
  if (host_decides) counts.erase(Count::launches);
  if (before == nullptr) return counts;
  for (auto& [count, value] : counts) {
    const auto old = before->counts.find(count);
    if (old != before->counts.end() &&
        value <= old->second * (1 + count_tolerance(count).value_or(0)))
      value = std::min(value, old->second);
  }
  return counts;
}

std::string text_of(const CountChange& change) {
  const std::string head = base::say(name_of(change.count), ' ', whole(change.expected), " -> ");
  if (!std::isfinite(change.counted)) return head + "not counted";
  char percent[32] = "";
  if (change.expected > 0)
    std::snprintf(percent, sizeof percent, " (%+.1f %%)",
                  100 * (change.counted / change.expected - 1));
  return base::say(head, whole(change.counted), percent);
}

}  // namespace aisp::lab
