// What a kernel takes of a multiprocessor, as the CUDA runtime says it.
#pragma once

#include <optional>
#include <string>

#include "app/inspect/device_code.hpp"
#include "app/inspect/launches.hpp"

namespace aisp::app {

// "softmax: 40 registers, 0 bytes of local memory (stack and spills), …" or why that is not known.
std::string resource_line(const LaunchedKernel& kernel, const std::optional<KernelCode>& code);

// Where the numbers of such lines come from, in words.
std::string resource_source(bool simulated, const std::string& device, bool machine_code);

}  // namespace aisp::app
