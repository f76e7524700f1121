#include "lab/report/row_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace aisp::lab {

std::string size_of(const std::string& entry) { return entry.substr(entry.find('/') + 1); }

std::string worst_check(const RunFile& run, const RowRecord& row) {
  bool any = false;
  double worst = 0;
  for (const auto& check : run.checks)
    if (check.entry == row.entry && check.rung == row.rung && check.attempt == row.attempt) {
      any = true;
      worst = std::max(worst, check.relative_norm);
    }
  return any ? fmt::format("{:.1e}", worst) : "";
}

std::string status_word(RowStatus status, bool simulated) {
  return simulated && status == RowStatus::measured ? "simulated" : std::string(name_of(status));
}

}  // namespace aisp::lab
