// Two simulated runs, rung by rung: by what was counted. A time that was estimated from counts is
// compared nowhere.
#pragma once

#include <string>
#include <vector>

#include "lab/record/run_file.hpp"
#include "lab/report/table.hpp"

namespace aisp::lab {

struct ChangedCount {  // of a rung that both runs counted
  std::string entry, rung;
  Count count{};
  double a = 0, b = 0;

  // "worse", "better", or "not judged" for a count that is shown only.
  std::string verdict() const;
  bool is_worse() const;
};

struct CountComparison {
  int rungs = 0;                      // that both runs counted
  int worse = 0;                      // of them, those with a judged count that grew
  std::vector<ChangedCount> changes;  // in the order of the first run; equal counts are left out
};

CountComparison compare_counted(const RunFile& a, const RunFile& b);

// entry, rung, count, A, B, change, verdict.
Table changes_table(const CountComparison& comparison);

// "+43.0 %"; "from 0" where there was nothing to grow from.
std::string change_text(const ChangedCount& change);

}  // namespace aisp::lab
