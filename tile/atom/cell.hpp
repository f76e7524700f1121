// An element of a small matrix, which is what the lane maps of atoms return.
#pragma once

#include "tile/atom/element.hpp"

namespace aisp::tile {

// A and B: row along m or n, column along k. Accumulators: row along m, column along n.
struct Cell {
  int row = 0, column = 0;
  constexpr bool operator==(const Cell&) const = default;
};

// The chip has the instruction: architecture 80 is sm_80.
template <class Atom, int architecture>
struct AtomExists {
  static_assert(Atom::first_architecture <= architecture,
                "the architecture lacks this atom's instruction: choose an older atom");
};

}  // namespace aisp::tile
