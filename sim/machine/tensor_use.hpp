// What instructions do to tensor memory, as an observer is told of it: rectangles of cells, when
// the instruction is issued, and allocations.
#pragma once

#include <array>
#include <cstdint>

#include "sim/machine/observer.hpp"
#include "sim/machine/tensor_memory.hpp"

namespace aisp::sim {

inline constexpr int tensor_quarters = 4;

struct TensorCells {
  std::uint32_t column = 0, columns = 0;
  std::array<std::uint32_t, tensor_quarters> lanes{};  // bit per lane, a word for each quarter

  void add_lane(std::uint32_t lane) { lanes[lane / 32 % tensor_quarters] |= 1u << lane % 32; }
};

enum class TensorDeed : std::uint8_t { load, store, product, copy, shift };

// Where the content of an operand goes: which cells of D are computed from one of its cells.
enum class TensorFeed : std::uint8_t {
  none,      // it is written and not read, or is no operand of a product
  cell,      // D: the same cell
  lane,      // A and its scales: the same lane, all columns
  two_rows,  // the metadata of 16-bit types and tf32: the same lane, and the one 8 lanes from it
  column,    // the scales of B: lane i of a quarter and column j go to column 32 j + i of D
};

struct TensorUse {
  Block* block = nullptr;  // whose tensor memory
  TensorCells cells;
  Access access{};
  TensorDeed deed{};
  const char* operand = "";  // of a product: "D", "A", ...
  bool pair = false;         // .cta_group::2
  TensorFeed feed = TensorFeed::none;
  std::uint32_t first_result = 0;  // TensorFeed::column: the column of D that the first cell feeds
  // Of the accumulator of a product: the same for the same place, shape and kind.
  std::uint64_t form = 0;
  // Of a load or store: the address names this quarter, which is not the warp's; -1: it does not.
  int foreign_quarter = -1;
};

struct TensorRequest {  // tcgen05.alloc, dealloc
  bool frees = false;
  TensorRange range;      // of alloc: the columns given, once it is done
  Block* peer = nullptr;  // .cta_group::2
};

}  // namespace aisp::sim
