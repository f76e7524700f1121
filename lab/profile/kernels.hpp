// The minimal profile: which kernels a piece of work launches, with their shape, registers, shared
// memory, spills and time. Read from CUPTI's activity records in a pass of its own; the library is
// loaded at first use, so that nothing of it is there while rungs are timed.
#pragma once

#include <functional>
#include <vector>

#include "lab/record/records.hpp"

namespace lab {

// `work` must have finished on the device when it returns. Throws one clear line when CUPTI is
// missing or refuses.
std::vector<KernelRecord> kernels_of(const std::function<void()>& work);

// Path of the CUPTI library that would be used, or "" with the places that were tried in `tried`.
std::string find_cupti(std::string& tried);

}  // namespace lab
