// A part of a device's SMs, as a green context has them.
#pragma once

#include "sim/machine/device_model.hpp"

namespace aisp::sim {

struct DevicePart {
  std::vector<int> sms;  // their numbers, ascending
  DeviceModel model;     // a device that has only these
};

DevicePart part_of(const DeviceModel& device, std::vector<int> sms);

}  // namespace aisp::sim
