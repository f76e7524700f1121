// Runs one entry in this process: reference, checks, interleaved timing, checks on other inputs,
// profile, rows. Everything it learns leaves through `emit` at once; a crash loses nothing.
#pragma once

#include "lab/device/device.hpp"
#include "lab/run/bench/emit.hpp"
#include "lab/run/process/job.hpp"

namespace aisp::lab {

// A CUDA error that leaves the context unusable ends in an exception; the caller's process must
// end, and a fresh one runs the rungs that have no row yet.
void run_entry(Device& device, const Job& job, const Emit& emit);

}  // namespace aisp::lab
