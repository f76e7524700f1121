// The gauge of clocks, watts and throttling that goes with a device, or why there is none.
#pragma once

#include "lab/measure/nvml.hpp"
#include "lab/record/records.hpp"

namespace aisp::lab {

NvmlOpened open_gauge(const DeviceRecord& device);

}  // namespace aisp::lab
