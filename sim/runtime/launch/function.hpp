// Attributes of kernels, as cudaFuncGetAttributes shows and cudaFuncSetAttribute sets them.
#pragma once

#include "sim/runtime/module/module.hpp"

namespace aisp::sim {

cudaFuncAttributes attributes_of(Kernel& kernel);
// On the current device. Throws ApiError{cudaErrorInvalidValue}.
void set_attribute(Kernel& kernel, cudaFuncAttribute attribute, int value);

}  // namespace aisp::sim
