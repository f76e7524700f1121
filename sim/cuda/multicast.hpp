// Binding to a multicast object and mapping one wait until all devices of its team are there.
#pragma once

#include "sim/cuda/driver.hpp"

namespace aisp::sim::driver {

// Returns at once for other memory. Throws when nobody is about to add what is missing.
void wait_for_team(const char* call, CUmemGenericAllocationHandle handle);

}  // namespace aisp::sim::driver
