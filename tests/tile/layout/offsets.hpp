// What a layout says, index by index: the judge of the property tests.
#pragma once

#include <algorithm>
#include <vector>

#include "tile/layout/layout.hpp"

namespace aisp::tile {

inline std::vector<int> offsets_of(const Layout& layout) {
  std::vector<int> out(size(layout));
  for (int index = 0; index < size(layout); ++index) out[index] = layout(index);
  return out;
}

inline std::vector<int> sorted_offsets(const Layout& layout) {
  std::vector<int> out = offsets_of(layout);
  std::sort(out.begin(), out.end());
  return out;
}

inline bool all_different(const Layout& layout) {
  const std::vector<int> offsets = sorted_offsets(layout);
  return std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end();
}

}  // namespace aisp::tile
