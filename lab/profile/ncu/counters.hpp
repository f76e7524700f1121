// From ncu's metrics to the lab's counters: which metric is which, in the order of preference, for
// the versions and devices that name them differently.
#pragma once

#include <string>
#include <vector>

#include "lab/profile/ncu/raw_page.hpp"
#include "lab/record/records.hpp"

namespace aisp::lab::ncu {

// What is asked for: --section and --metrics words.
std::vector<std::string> sections_for(Profile profile);
std::vector<std::string> metrics_for(Profile profile);

KernelRecord kernel_record(const RawKernel& raw);

}  // namespace aisp::lab::ncu
