// Rungs that cannot run on a device are many rows with few reasons: they are counted.
#pragma once

#include <string>

#include "lab/record/run_file.hpp"

namespace aisp::lab {

// So many that they are counted and not listed.
bool has_many_skipped(const RunFile& run);

// The run as if the skipped rows had not been asked for.
RunFile without_skipped(RunFile run);

// How many rows were skipped, and a line for each reason with its targets. `command` lists them.
std::string skipped_counts(const RunFile& run, const std::string& command);

}  // namespace aisp::lab
