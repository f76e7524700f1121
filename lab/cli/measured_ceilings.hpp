// From a run of the roof chapter to the ceilings of the device it ran on.
#pragma once

#include <string>

#include "lab/measure/ceilings.hpp"
#include "lab/record/run_file.hpp"

namespace aisp::lab {

// The run must have a device. A roof without a measured row stays unknown.
Ceilings ceilings_from(const RunFile& run, const std::string& measured_at);

}  // namespace aisp::lab
