// "(4,1,1)": a grid, a block or a cluster in a message.
#pragma once

#include <string>

#include "base/refuse.hpp"

namespace aisp::sim {

template <class Dimensions>  // dim3 or Dim3
std::string dimensions_text(const Dimensions& of) {
  return base::say("(", of.x, ",", of.y, ",", of.z, ")");
}

}  // namespace aisp::sim
