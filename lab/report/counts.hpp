// A simulated run as a table: what each rung did in place of how fast it was.
#pragma once

#include <optional>
#include <string>

#include "lab/case/case.hpp"
#include "lab/record/run_file.hpp"
#include "lab/report/table.hpp"

namespace aisp::lab {

// In place of the count that would show a target's idea, where there is none.
inline constexpr const char* no_count_shows_it = "no count shows it";

// The count in which a simulated row shows the idea of its target.
struct Idea {
  Count count{};
  std::optional<double> baseline{};  // nothing where the ladder's first rung did not run
  double here = 0;
  bool is_baseline = false;

  // Less than the baseline's, or more of Count::overlap.
  bool is_shown() const;
};

// Of Count::overlap more is better, of every other count less.
bool is_better(Count count, double value, double than);

// Nothing where the row was not counted, where no count shows the idea, and where this build does
// not have the target.
std::optional<Idea> idea_of(const RunFile& run, const RowRecord& row);

// "L2 bytes 1.05 MB -> 262 kB" from the baseline to the rung, and the value alone for the baseline.
// "no count shows it" where that is so, with the values where the target's count does not improve.
// "" where the row was not counted, this build does not have the target, or the target names
// neither a count nor a reason.
std::string shown_idea(const RunFile& run, const RowRecord& row);

// Why no count shows the idea of a target without Target::shows_in.
std::string why_no_count(const Target& target);

// A count as every table shows it: "1.05 MB", "75 %", "42".
std::string text_of(Count count, double value);

// One row per rung: its check, every count, and the count in which the target's idea shows. Neither
// a time nor a speed-up: the time that a run file has was estimated from the counts, without any
// cache, bandwidth or latency.
Table counts_table(const RunFile& run);

// A line for each target of the run whose idea no count shows, with the reason.
std::string uncounted_notes(const RunFile& run);

}  // namespace aisp::lab
