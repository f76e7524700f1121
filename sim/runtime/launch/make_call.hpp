// A launch as the program asks for it, checked as the driver does, turned into a KernelCall; for
// graphs' kernel nodes as well.
#pragma once

#include "sim/runtime/module/kernel_call.hpp"
#include "sim/runtime/module/module.hpp"

namespace aisp::sim {

// `args` points to one pointer per parameter. Throws ApiError.
KernelCall make_call(const cudaLaunchConfig_t& config, Kernel& kernel, void** args);

int dynamic_shared_limit(Kernel& kernel);  // bytes a launch may ask for
Dim3 required_cluster(Kernel& kernel);     // 0, 0, 0: none

}  // namespace aisp::sim
