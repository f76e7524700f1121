#include "lab/report/sweep_series.hpp"

#include <algorithm>

namespace aisp::lab {
namespace {

// The place of the word in the list, where it is put when it is new.
int place_in(std::vector<std::string>& list, const std::string& word) {
  const auto found = std::find(list.begin(), list.end(), word);
  if (found != list.end()) return static_cast<int>(found - list.begin());
  list.push_back(word);
  return static_cast<int>(list.size() - 1);
}

}  // namespace

std::vector<Series> series_of(const SweepResult& sweep) {
  std::vector<Series> all;
  std::vector<std::string> rungs, others;
  for (const auto& row : sweep.rows) {
    if (!sweep.is_drawn(row)) continue;
    const std::string other = other_values(sweep, row);
    const std::string name =
        row.rung + (row.peer ? " (peer)" : "") + (other.empty() ? "" : " " + other);
    if (all.empty() || all.back().name != name)
      all.push_back({.name = name,
                     .colour = place_in(rungs, row.rung) % series_colours,
                     .dash = place_in(others, other) % series_dashes,
                     .rows = {}});
    all.back().rows.push_back(&row);
  }
  return all;
}

}  // namespace aisp::lab
