// Which thread of a block copies which 16 bytes of an operand tile: neighbours along a line, so
// that global memory is read in long accesses and 8 threads fill 8 different groups of banks.
#pragma once

#include "tile/atom/cp_async.hpp"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

namespace rules {

template <int threads, int chunks_of_line, int lines>
struct CopyThreads {
  static_assert(threads % chunks_of_line == 0 && lines % (threads / chunks_of_line) == 0,
                "the threads of a block must copy whole lines of 16-byte chunks, and the tile must "
                "be a multiple of the lines they copy at once");
};

}  // namespace rules

template <OperandTile tile, int threads>
struct CopyPlan {
  static constexpr int chunks_of_line = tile.line_bytes() / CpAsync16::bytes;
  static_assert(sizeof(rules::CopyThreads<threads, chunks_of_line, tile.lines()>) > 0);
  static constexpr int lines_at_once = threads / chunks_of_line;
  static constexpr int count = tile.lines() / lines_at_once;  // copies of a thread

  // (THREAD, COPY) -> byte of the tile: chunk by chunk along a line, then line by line.
  static TILE_FN Swizzled layout() {
    constexpr int lines = tile.lines();  // (line, byte) has the index line + lines * byte
    return compose(line_layout(tile),
                   Layout{Shape{Shape{chunks_of_line, lines_at_once}, count},
                          Stride{Stride{lines * CpAsync16::bytes, 1}, lines_at_once}});
  }
  // By hand, so that a copy adds a constant to the offset of the first.
  static TILE_FN int line(int thread, int copy) {
    return thread / chunks_of_line + copy * lines_at_once;
  }
  static TILE_FN int byte(int thread) { return thread % chunks_of_line * CpAsync16::bytes; }
  static TILE_FN int offset(int thread, int copy) {
    if constexpr (lines_at_once % swizzle_lines == 0)
      return line_offset<tile>(line(thread, 0), byte(thread)) +
             copy * lines_at_once * width_of(tile.swizzle);
    else
      return line_offset<tile>(line(thread, copy), byte(thread));
  }
};

}  // namespace aisp::tile
