// A pass of its own for --trace: one more run of a rung, with everything that it does on the device
// and on the host written down.
#pragma once

#include "lab/record/records.hpp"
#include "lab/run/bench/buffers.hpp"
#include "lab/run/bench/contender.hpp"
#include "lab/run/process/job.hpp"
#include "lab/trace/trace.hpp"

namespace aisp::lab {

// What the trace comes to, for the run's records.
std::vector<OverlapRecord> overlap_records(const Trace& trace);

// Every time in which a device did nothing, with what it waited for; of many the longest.
std::vector<GapRecord> gap_records(const Trace& trace, std::size_t most = 200);

// Runs the rung as it was timed, twice: the first run under a tool pays for its preparations. The
// trace of the second lies below the run's folder, job.trace. On a GPU the same once more without
// the host's calls, for the times in the record. What keeps it from being taken is in
// the record's `problem`; a failure of the rung itself is thrown.
TraceRecord trace_rung(Device& device, const Contender& contender, Buffers& buffers,
                       const Job& job);

}  // namespace aisp::lab
