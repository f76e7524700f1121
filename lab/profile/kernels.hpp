// The minimal profile: which kernels a piece of work launches, with their shape, registers, shared
// memory, spills and time. Read from CUPTI's activity records in a pass of its own.
#pragma once

#include <functional>
#include <vector>

#include "lab/record/records.hpp"

namespace aisp::lab {

// `work` must have finished on the device when it returns. Throws one clear line when CUPTI is
// missing or refuses.
std::vector<KernelRecord> kernels_of(const std::function<void()>& work);

}  // namespace aisp::lab
