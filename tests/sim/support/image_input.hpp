// The lines `texture:` and `surface:` of a .ptx file: which image the input before them is.
#pragma once

#include <sstream>

#include "sim/machine/image.hpp"

namespace aisp::experiments {

// "2d f32x1 4x3x1", then for a texture any of: linear, normalized (coordinates), fraction (values),
// srgb, seamless, wrap, clamp, mirror, border, mipmaps (point or, with trilinear, between levels).
// Shapes: memory 1d 2d 3d a1d a2d cube acube. Levels lie one behind the other. Throws
// std::runtime_error.
sim::ImageObject read_image(std::istringstream& words, bool surface);

}  // namespace aisp::experiments
