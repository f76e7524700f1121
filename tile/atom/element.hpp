// The number formats that matrix units read and write, as values: a configuration names them, a
// kernel asks for their size.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile {

// tf32 is f32 in memory, of which the matrix unit reads the upper 19 bits. Those of 6 and 4 bits
// lie in memory without gaps, the first one in the low bits.
enum class Element { bf16, f16, tf32, e4m3, e5m2, s8, f32, s32, e2m3, e3m2, e2m1 };

// Of one element in a register, or in a place of its own.
TILE_FN int bytes_of(Element element) {
  switch (element) {
    case Element::e4m3:
    case Element::e5m2:
    case Element::e2m3:
    case Element::e3m2:
    case Element::e2m1:
    case Element::s8:
      return 1;
    case Element::bf16:
    case Element::f16:
      return 2;
    default:
      return 4;
  }
}

// Of one element of a matrix in memory.
TILE_FN int bits_of(Element element) {
  if (element == Element::e2m1) return 4;
  return element == Element::e2m3 || element == Element::e3m2 ? 6 : 8 * bytes_of(element);
}

constexpr const char* name_of(Element element) {
  constexpr const char* names[] = {"bf16", "f16", "tf32", "e4m3", "e5m2", "s8",
                                   "f32",  "s32", "e2m3", "e3m2", "e2m1"};
  return names[static_cast<int>(element)];
}

// The element of the accumulators of products of two such elements.
TILE_FN Element accumulator_of(Element element) {
  return element == Element::s8 ? Element::s32 : Element::f32;
}

// Which index of an operand is contiguous in memory: k (rows of A and of B^T are dot products), or
// the other one, m or n.
enum class Major { k, mn };

}  // namespace aisp::tile
