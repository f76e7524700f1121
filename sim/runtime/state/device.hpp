// Facts about the devices, and what a program has set on one.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "sim/machine/device_model.hpp"
#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

inline constexpr int cuda_version = 13000;  // of runtime and driver

constexpr int bus_of(int device) { return 0x51 + device; }  // PCI
std::string bus_id(int device);                             // "0000:51:00.0"

// Throws ApiError{cudaErrorInvalidValue} for an attribute there is not.
int attribute_of(const DeviceModel& model, cudaDeviceAttr attribute, int device);
cudaDeviceProp properties_of(const DeviceModel& model, int device);

// Kept and shown; of the limits only those of stack and heap change what runs.
struct DeviceOptions {
  std::mutex mutex;
  unsigned flags = 0;
  cudaFuncCache cache = cudaFuncCachePreferNone;
  // By cudaLimit. The fourth is the depth of a synchronisation on the device, which is no more.
  std::size_t limits[7] = {1024, 8650752, 8388608, 0, 2048, 64, 0};
  DeviceOptions();
};
DeviceOptions& device_options();  // of the current device
std::uint32_t stack_limit();      // cudaLimitStackSize of the current device

// Throws ApiError{cudaErrorInvalidValue} for a window of L2 that driver 580 refuses on an H200.
void require_window(const cudaAccessPolicyWindow& window);

// What cudaLimitPersistingL2CacheSize becomes: tenths of what the device can set aside, as many as
// hold what is wanted. More than that is an invalid value.
std::size_t persisting_limit(std::size_t wanted);

}  // namespace aisp::sim
