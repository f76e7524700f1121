// The traces of a run as a table: how long each engine was busy, how much ran at the same time, how
// long the device did nothing and what it waited for. Every column is explained in docs/cli.md.
#pragma once

#include <filesystem>
#include <string>

#include "lab/record/run_file.hpp"
#include "lab/report/table.hpp"

namespace aisp::lab {

// One row for each device of each rung's latest trace.
Table overlap_table(const RunFile& run);

// Under the table: where the traces lie, which rungs have none and why, and that a schedule is
// simulated. "" for a run without traces.
std::string trace_notes(const RunFile& run, const std::filesystem::path& folder, bool all);

}  // namespace aisp::lab
