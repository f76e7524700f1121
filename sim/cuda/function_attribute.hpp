// Kernels under the driver's names.
#pragma once

#include <vector>

#include "sim/cuda/driver.hpp"
#include "sim/runtime/module/module.hpp"

namespace aisp::sim::driver {

Kernel& function_at(CUfunction function);  // throws
cudaLaunchConfig_t same_config(const CUlaunchConfig& config);
// A pointer to each argument in a buffer that a launch's `extra` list names. Throws.
std::vector<void*> unpacked_arguments(Kernel& kernel, void** extra);
// On the current device. Throws.
int function_attribute(Kernel& kernel, CUfunction_attribute attribute);

}  // namespace aisp::sim::driver
