// Sparse A: the metadata that says where in B's rows the stored elements belong.
#pragma once

#include <cstdint>

#include "sim/program/type.hpp"

namespace aisp::sim {

// Metadata is nibbles of two 2-bit positions; a nibble covers a group of k. Sixteen-bit and 8-bit
// types: two stored elements of every four. 4-bit types: two stored pairs of every four pairs.
// tf32: one stored element of every two, whose nibble is 0b0100 (the first) or 0b1110 (the second).
constexpr int nibbles_per_row(Type type, int k) {
  switch (type) {
    case Type::tf32:
      return k / 2;
    case Type::s4:
    case Type::u4:
      return k / 8;
    default:
      return k / 4;
  }
}

// Where a row's nibble lies: which lane of the warp and which bit of its metadata register. One,
// two or four lanes of each four hold metadata, by the size of it.
struct MetadataPlace {
  int lane = 0, bit = 0;
};
constexpr MetadataPlace metadata_place(Type type, int row, int nibble, int row_nibbles,
                                       int selector) {
  const int lanes_of_four = row_nibbles / 4;  // 4, 8 or 16 nibbles: 1, 2 or 4 lanes
  const int first = row % 8 * 4 + (lanes_of_four == 4 ? 0 : selector * lanes_of_four);
  const bool wide = type == Type::f16 || type == Type::bf16 || type == Type::tf32;
  if (wide) return {first + nibble / 4, row / 8 * 16 + nibble % 4 * 4};
  return {first + row / 8 + nibble / 8 * 2, nibble % 8 * 4};
}

// The row of B that stored element `at` of a row of A meets, given its nibble.
constexpr int nibble_of(Type type, int at) {
  switch (type) {
    case Type::tf32:
      return at;
    case Type::s4:
    case Type::u4:
      return at / 4;
    default:
      return at / 2;
  }
}
constexpr int sparse_row(Type type, int at, int nibble) {
  switch (type) {
    case Type::tf32:
      return 2 * at + (nibble >> 1 & 1);
    case Type::s4:
    case Type::u4:
      return at / 4 * 8 + 2 * (nibble >> 2 * (at / 2 % 2) & 3) + at % 2;
    default:
      return at / 2 * 4 + (nibble >> 2 * (at % 2) & 3);
  }
}

// The rows of B for a tile of 16 rows of A: index[row * stored + at], k/2 stored elements per row.
void sparse_index(Type type, int k, int selector, const std::uint32_t* metadata,
                  std::uint8_t* index);

}  // namespace aisp::sim
