// An element of a small matrix, and the test by enumeration that a map from lanes and registers to
// elements is one: every element has exactly one owner. All maps of this layer return cells.
#pragma once

#include "tile/atom/element.hpp"

namespace aisp::tile {

// A and B: row along m or n, column along k. Accumulators: row along m, column along n.
struct Cell {
  int row = 0, column = 0;
  constexpr bool operator==(const Cell&) const = default;
};

// Of the matrix rows x columns, how often `owners` values of each of `lanes` lanes name each cell.
// map(lane, value) -> Cell.
template <int rows, int columns, class Map>
constexpr bool covered(int lanes, int owners, int times, Map map) {
  int seen[rows * columns] = {};
  for (int lane = 0; lane < lanes; ++lane)
    for (int value = 0; value < owners; ++value) {
      const Cell cell = map(lane, value);
      if (cell.row < 0 || cell.row >= rows || cell.column < 0 || cell.column >= columns)
        return false;
      ++seen[cell.row * columns + cell.column];
    }
  for (int count : seen)
    if (count != times) return false;
  return true;
}

// The chip has the instruction: architecture 80 is sm_80.
template <class Atom, int architecture>
struct AtomExists {
  static_assert(Atom::first_architecture <= architecture,
                "the architecture lacks this atom's instruction: choose an older atom");
};

}  // namespace aisp::tile
