// A texture may look at an array through another format of the same size, or at some of its levels
// and layers.
#pragma once

#include "sim/machine/image.hpp"
#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

// Throws ApiError{cudaErrorInvalidValue} where the view does not fit the image.
TexelImage viewed(const TexelImage& image, const cudaResourceViewDesc& view);

}  // namespace aisp::sim
