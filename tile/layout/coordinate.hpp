// Indices and coordinates of a shape. Index and coordinate follow one another colexicographically:
// the first mode varies fastest. A coordinate may stop early: an integer stands for a whole mode.
#pragma once

#include "tile/layout/tuple.hpp"

namespace aisp::tile {

// Walks the leaves of a coordinate beside a shape: each leaf meets the node of the shape that it
// indexes. (1,5) meets 3 and (2,4) of the shape (3,(2,4)).
struct CoordWalk {
  const Tuple& coord;
  const Tuple& shape;
  int at = 0;  // leaf of the coordinate
  int coord_level = 0, shape_level = 0;
  LeafRange range = {};  // node of the shape that leaf `at - 1` indexes

  TILE_FN bool next() {
    if (at == coord.count) {
      check(range.end == shape.count);
      return false;
    }
    const int first = range.end;
    check(first < shape.count);
    coord_level += coord.open(at);
    int level = shape_level + shape.open(first), end = first + 1;
    check(level >= coord_level);
    const bool whole_mode = level > coord_level;
    level -= shape.close(first);
    for (; whole_mode && level > coord_level; ++end) level += shape.open(end) - shape.close(end);
    range = {first, end, coord_level};
    shape_level = level;
    coord_level -= coord.close(at);
    check(shape_level == coord_level);
    ++at;
    return true;
  }
  TILE_FN int value() const { return coord.leaf[at - 1]; }

 private:
  TILE_FN void check(bool holds) const {
    require(holds, LayoutRule::coordinate_fits_shape, coord.count, shape.count);
  }
};

// The offset of `index` within the leaves [first, end): the last one takes what is left, so that
// an index past the end goes on in its direction.
TILE_FN int offset_of_index(const Tuple& shape, const Tuple& stride, int first, int end,
                            int index) {
  unsigned rest = static_cast<unsigned>(index);
  int offset = 0;
  for (int at = first; at < end; ++at) {
    const unsigned extent = static_cast<unsigned>(shape.leaf[at]);
    const unsigned quotient = at + 1 == end ? 0 : rest / extent;
    offset += static_cast<int>(rest - quotient * extent) * stride.leaf[at];
    rest = quotient;
  }
  return offset;
}

TILE_FN int offset_of_coord(const Tuple& shape, const Tuple& stride, const Coord& coord) {
  int offset = 0;
  for (CoordWalk walk{coord, shape}; walk.next();)
    offset += offset_of_index(shape, stride, walk.range.first, walk.range.end, walk.value());
  return offset;
}

// The strides under which the shape has no holes and its first mode is contiguous.
TILE_FN Stride compact_stride(const Shape& shape) {
  Stride out = shape;
  long long step = 1;
  for (int at = 0; at < shape.count; ++at) {
    out.leaf[at] = fitting(step);
    step *= shape.leaf[at];
  }
  return out;
}

TILE_FN int index_of(const Shape& shape, const Coord& coord) {
  return offset_of_coord(shape, compact_stride(shape), coord);
}

// The full coordinate, nested like the shape.
TILE_FN Coord coord_of(const Shape& shape, int index) {
  Coord out = shape;
  for (int at = 0; at < shape.count; ++at) {
    const bool last = at + 1 == shape.count;
    out.leaf[at] = last ? index : index % shape.leaf[at];
    index /= shape.leaf[at];
  }
  return out;
}

// One integer per mode at the top.
TILE_FN Coord mode_coord_of(const Shape& shape, int index) {
  Coord out;
  for (int at = 0; at < shape.count;) {
    const LeafRange range = next_mode(shape, at);
    const int extent = size(node(shape, range));
    at = range.end;
    out.push(at == shape.count ? index : index % extent);
    index /= extent;
  }
  if (!is_leaf(shape)) out.wrap();
  return out;
}

}  // namespace aisp::tile
