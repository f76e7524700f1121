// What a run keeps of the machine beside the device itself: the page that shows it may be written
// on another one.
#pragma once

#include "lab/record/records.hpp"

namespace aisp::lab {

// The record with host, system, processor, and the roofs that are stored for the device here.
DeviceRecord described(DeviceRecord device);

}  // namespace aisp::lab
