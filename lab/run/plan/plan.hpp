// What a run will do, decided before anything runs: bad input is refused here, in the parent.
#pragma once

#include "lab/record/records.hpp"
#include "lab/run/plan/options.hpp"

namespace aisp::lab {

// The header of a new run: its id, its options and one entry per target size.
RunHeader plan_run(const RunOptions& options, const std::vector<std::string>& command);

// Whether the targets' small sizes are run. On the simulator they are the default: a full size
// takes minutes to hours there.
bool takes_quick_sizes(const RunOptions& options);
[[noreturn]] void refuse_quick_and_full();

// Whether the entry's target has a rung for a CUDA device; otherwise it runs on the host.
bool needs_cuda(const EntryPlan& entry);

// Refuses (Exit::environment) when the plan needs a device that is not there. Where the choice is
// the simulator, or the automatic one finds no GPU, this process starts again on the simulator.
void require_device(const RunHeader& header, const DeviceChoice& choice);

// Refuses (Exit::environment) a ceilings file of the device that a worker could not read once it
// has measured.
void require_readable_ceilings(const RunHeader& header);

// Time of day as the records write it: "2026-01-31T12:00:00Z".
std::string utc_now();

}  // namespace aisp::lab
