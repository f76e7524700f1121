// Which output tile comes when. Plain functions of an index, so that a CPU test can visit a whole
// grid and count, and a kernel asks once per tile without a table in memory.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile {

struct TileCoord {
  int m = 0, n = 0;
  constexpr bool operator==(const TileCoord&) const = default;
};

struct TileGrid {
  int m = 1, n = 1;  // tiles in each direction
  TILE_FN int count() const { return m * n; }
};

// Row by row within groups of `group` rows, columns outermost in a group: tiles that run at the
// same time share rows of A and columns of B, so that L2 serves them.
TILE_FN TileCoord grouped_order(int index, TileGrid grid, int group) {
  const int in_group = group * grid.n;
  const int first_row = index / in_group * group;
  const int rows = grid.m - first_row < group ? grid.m - first_row : group;
  const int rest = index % in_group;
  return {first_row + rest % rows, rest / rows};
}

// A rectangle that the curve enters at `start` and leaves at the far end of its `length` tiles in
// direction `along`, on the same side; `across` points to the other side, `width` tiles away.
struct HilbertRectangle {
  TileCoord start, along, across;  // along and across are unit steps
  int length, width;

  TILE_FN TileCoord at(int steps_along, int steps_across) const {
    return {start.m + along.m * steps_along + across.m * steps_across,
            start.n + along.n * steps_along + across.n * steps_across};
  }
};

// Half of an extent, made even where that is possible: the curve can then turn without a jump.
TILE_FN int even_half(int extent) {
  const int half = extent / 2;
  return half % 2 == 1 && extent > 2 ? half + 1 : half;
}

// A Hilbert curve for a rectangle of any size. Every rectangle is cut into a first step across, a
// long way along and a step back (or, where it is slender, into two one behind the other) until
// `index` lies in a row. Neighbours on the curve touch at an edge, at odd extents now and then only
// at a corner.
TILE_FN TileCoord hilbert_order(int index, TileGrid grid) {
  HilbertRectangle rectangle = grid.n >= grid.m
                                   ? HilbertRectangle{{}, {0, 1}, {1, 0}, grid.n, grid.m}
                                   : HilbertRectangle{{}, {1, 0}, {0, 1}, grid.m, grid.n};
  while (rectangle.length > 1 && rectangle.width > 1) {
    if (2 * rectangle.length > 3 * rectangle.width) {
      const int front = even_half(rectangle.length);
      if (index < front * rectangle.width) {
        rectangle.length = front;
      } else {
        index -= front * rectangle.width;
        rectangle.start = rectangle.at(front, 0);
        rectangle.length -= front;
      }
      continue;
    }
    const int half = rectangle.length / 2, side = even_half(rectangle.width);
    const int out = half * side, over = rectangle.length * (rectangle.width - side);
    if (index < out) {
      rectangle = {rectangle.start, rectangle.across, rectangle.along, side, half};
    } else if (index < out + over) {
      index -= out;
      rectangle = {rectangle.at(0, side), rectangle.along, rectangle.across, rectangle.length,
                   rectangle.width - side};
    } else {
      index -= out + over;
      rectangle = {rectangle.at(rectangle.length - 1, side - 1),
                   {-rectangle.across.m, -rectangle.across.n},
                   {-rectangle.along.m, -rectangle.along.n},
                   side,
                   rectangle.length - half};
    }
  }
  return rectangle.width == 1 ? rectangle.at(index, 0) : rectangle.at(0, index);
}

// The order in which a schedule hands out the tiles of a grid, chosen at run time.
struct Raster {
  enum class Along { m, n, hilbert };
  Along along = Along::m;
  int group = 1;  // rows (along m) or columns (along n) that are walked together; 1: row by row

  TILE_FN TileCoord at(int index, TileGrid grid) const {
    if (along == Along::hilbert) return hilbert_order(index, grid);
    if (along == Along::m) return grouped_order(index, grid, group);
    const TileCoord transposed = grouped_order(index, {grid.n, grid.m}, group);
    return {transposed.n, transposed.m};
  }
};

}  // namespace aisp::tile
