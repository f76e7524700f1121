// A simulated run as a table: what each rung did in place of how fast it was.
#pragma once

#include <string>

#include "lab/record/run_file.hpp"
#include "lab/report/table.hpp"

namespace aisp::lab {

// One row per rung: its check, every count, the counted time, and the count in which the target's
// idea shows, from the baseline's to the rung's. No speed-up: no cache, bandwidth or latency is in
// a counted time.
Table counts_table(const RunFile& run);

// A line for each target of the run whose idea no count shows, with the reason.
std::string uncounted_notes(const RunFile& run);

// "L2 bytes 1.05 MB -> 262 kB"; "" where the target names no count or the baseline has none.
std::string shown_idea(const RunFile& run, const RowRecord& row);

}  // namespace aisp::lab
