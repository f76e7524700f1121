#include "lab/run/bench/gauge.hpp"

namespace aisp::lab {

NvmlOpened open_gauge(const DeviceRecord& device) {
  if (device.major == 0) return {nullptr, "host processor"};
  if (device.simulated) return {nullptr, "simulated device"};
  return open_nvml(device.uuid);
}

}  // namespace aisp::lab
