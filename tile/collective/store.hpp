// How a kernel stores its output.
#pragma once

namespace aisp::tile {

enum class Store {
  direct,  // from registers to global memory
  tma,     // through swizzled staging and TMA, which clips at the edges
};

}  // namespace aisp::tile
