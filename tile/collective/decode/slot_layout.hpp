// Where the decode kernel's lanes read keys and values of a slot: the row of ldmatrix's lane, and a
// step of 16 columns that flips bits of its chunk. tests/tile/collective/slot_layout_test.cpp
// proves that this is the slot's layout.
#pragma once

#include "tile/atom/ldmatrix.hpp"
#include "tile/collective/decode/params.hpp"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

// Of the 16-byte chunk whose address a lane gives: the byte where its line starts, and that of the
// chunk within a panel's line.
template <DecodeConfig config>
TILE_FN int slot_line(Cell at) {
  return line_start<config.slot_tile()>(at.row, 0);
}
template <DecodeConfig config>
TILE_FN int slot_chunk(Cell at) {
  return operand_offset<config.slot_tile()>(at.row, 8 * at.column) & 127;
}

// Bytes from the start of a lane's line to what it reads in step `step`: a panel holds four.
TILE_FN int slot_step(int chunk, int step) {
  return step / 4 * DecodeConfig::panel_bytes + (chunk ^ step % 4 * 32);
}

}  // namespace aisp::tile
