// An element of a small matrix, and the test that a map from lanes and registers to elements is
// one: every element has exactly one owner. All maps of this layer return cells.
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

// Every accumulator has one owner, and every element of A and B the same number of owners: one
// where the matrix unit exchanges operands between lanes, more where each lane reads what it needs.
template <class Atom>
constexpr bool covers_once() {
  constexpr int per = Atom::per_register;
  constexpr int a_values = Atom::a_registers * per, b_values = Atom::b_registers * per;
  return covered<Atom::m, Atom::n>(Atom::lanes, Atom::accumulators, 1,
                                   [](int lane, int i) { return Atom::accumulator(lane, i); }) &&
         covered<Atom::m, Atom::k>(
             Atom::lanes, a_values, Atom::lanes * a_values / (Atom::m * Atom::k),
             [](int lane, int i) { return Atom::a(lane, i / per, i % per); }) &&
         covered<Atom::n, Atom::k>(Atom::lanes, b_values,
                                   Atom::lanes * b_values / (Atom::n * Atom::k),
                                   [](int lane, int i) { return Atom::b(lane, i / per, i % per); });
}

// A lane's accumulators come in fragments of four for the epilogue: rows r and r + 8, columns c and
// c + 1.
template <class Atom>
constexpr bool accumulators_are_fragments() {
  if (Atom::accumulators % 4 != 0) return false;
  for (int lane = 0; lane < Atom::lanes; ++lane)
    for (int i = 0; i < Atom::accumulators; ++i) {
      const Cell first = Atom::accumulator(lane, i / 4 * 4);
      const Cell wanted{first.row + i % 4 / 2 * 8, first.column + i % 2};
      if (first.column % 2 != 0 || !(Atom::accumulator(lane, i) == wanted)) return false;
    }
  return true;
}

// The registers of a vector hold elements that follow each other along k, so that one load brings
// them.
template <class Atom>
constexpr bool vectors_along_k() {
  constexpr int per = Atom::per_register;
  const auto follows = [](auto map, int lane, int reg) {
    const Cell first = map(lane, reg / Atom::vector_registers * Atom::vector_registers, 0);
    for (int at = 0; at < per; ++at) {
      const int steps = reg % Atom::vector_registers * per + at;
      if (!(map(lane, reg, at) == Cell{first.row, first.column + steps})) return false;
    }
    return first.column % (Atom::vector_registers * per) == 0;
  };
  for (int lane = 0; lane < Atom::lanes; ++lane) {
    for (int reg = 0; reg < Atom::a_registers; ++reg)
      if (!follows(Atom::a, lane, reg)) return false;
    for (int reg = 0; reg < Atom::b_registers; ++reg)
      if (!follows(Atom::b, lane, reg)) return false;
  }
  return true;
}

template <class Atom>
constexpr bool is_atom =
    covers_once<Atom>() && accumulators_are_fragments<Atom>() && vectors_along_k<Atom>();

// The chip has the instruction: architecture 80 is sm_80.
template <class Atom, int architecture>
struct AtomExists {
  static_assert(Atom::first_architecture <= architecture,
                "the architecture lacks this atom's instruction: choose an older atom");
};

}  // namespace aisp::tile
