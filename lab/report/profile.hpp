// The counters of --profile roofline and deep_dive as a table, and what they say in words.
#pragma once

#include <string>

#include "lab/record/run_file.hpp"
#include "lab/report/table.hpp"

namespace aisp::lab {

// One row per kernel, or per rung where nobody counts by kernel; columns that nothing was counted
// for are left out. Without rows where there are no counters.
Table counters_table(const RunFile& run);

// A line for each rung: what bounds it, or why it has no counters.
std::string profile_notes(const RunFile& run);

}  // namespace aisp::lab
