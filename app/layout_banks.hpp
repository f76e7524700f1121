// What a warp pays for reading a shared-memory tile of this layout: wavefronts along each mode.
#pragma once

#include <string>

#include "tile/atom/element.hpp"
#include "tile/layout/swizzle.hpp"

namespace aisp::app {

// The element of this name. Refuses others with the names there are.
tile::Element element_named(const std::string& name);

// A line for each mode and each width of access: one element a lane, and 16 bytes a lane where the
// layout keeps as many neighbours together. Offsets of the layout count elements.
std::string bank_report(const tile::Swizzled& layout, tile::Element element);

}  // namespace aisp::app
