// Which arrays there can be: what flags and extents mean, and how large they may be.
#pragma once

#include "sim/machine/image.hpp"
#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

// Both throw ApiError{cudaErrorInvalidValue}.
ImageShape shape_of(const cudaExtent& extent, unsigned flags);
void require_within_limits(ImageShape shape, const cudaExtent& extent, unsigned flags, int device);

}  // namespace aisp::sim
