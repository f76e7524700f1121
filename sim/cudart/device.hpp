// Facts about the one device.
#pragma once

#include "sim/cudart/api.hpp"
#include "sim/machine/device_model.hpp"

namespace sim {

inline constexpr int cuda_version = 13000;  // of runtime and driver

// Throws ApiError{cudaErrorInvalidValue} for an attribute there is not.
int attribute_of(const DeviceModel& model, cudaDeviceAttr attribute);
cudaDeviceProp properties_of(const DeviceModel& model);

// How many blocks of the kernel one SM holds, by what the launch asks for; 0 when none fits.
struct Kernel;
int blocks_per_sm(Kernel& kernel, int threads, std::size_t dynamic_shared);

}  // namespace sim
