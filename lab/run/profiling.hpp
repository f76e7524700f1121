// The counters of --profile roofline and deep_dive: after all entries are timed, each rung runs
// once more, in a process of its own under ncu. Nothing of it is there while rungs are timed.
#pragma once

#include <filesystem>

#include "lab/run/process/supervisor.hpp"

namespace aisp::lab {

// Whether this run's counters come from ncu: they are asked for, the device is a GPU, and ncu is
// there. Without it the profile is what CUPTI gives, and `observer` hears so.
Profile profile_in_workers(const RunHeader& header, RunObserver& observer);

// Profiles every entry that was measured and has no counters yet. False when it was interrupted.
bool profile_entries(Journal& journal, RunFile& run, const std::filesystem::path& folder,
                     const Interrupt& interrupt, RunObserver& observer);

}  // namespace aisp::lab
