// Facts about the devices.
#pragma once

#include "sim/cudart/api.hpp"
#include "sim/machine/device_model.hpp"

namespace sim {

inline constexpr int cuda_version = 13000;  // of runtime and driver

constexpr int bus_of(int device) { return 0x51 + device; }  // PCI

// Throws ApiError{cudaErrorInvalidValue} for an attribute there is not.
int attribute_of(const DeviceModel& model, cudaDeviceAttr attribute, int device);
cudaDeviceProp properties_of(const DeviceModel& model, int device);

// How many blocks of the kernel one SM holds, by what the launch asks for; 0 when none fits.
struct Kernel;
int blocks_per_sm(Kernel& kernel, int threads, std::size_t dynamic_shared);

}  // namespace sim
