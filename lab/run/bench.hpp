// Runs one entry in this process: reference, checks, interleaved timing, checks on other inputs,
// profile, rows. Everything it learns leaves through `emit` at once; a crash loses nothing.
#pragma once

#include <functional>

#include "lab/device/device.hpp"
#include "lab/record/records.hpp"
#include "lab/run/job.hpp"

namespace lab {

struct Emit {
  std::function<void(const Record&)> record;
  std::function<void(const Phase&)> phase;
};

// A CUDA error that leaves the context unusable ends in an exception; the caller's process must
// end, and a fresh one runs the rungs that have no row yet.
void run_entry(Device& device, const Job& job, const Emit& emit);

}  // namespace lab
