// A layout maps indices to offsets: a shape and a stride, nested alike. Everything here is a value
// and constexpr. Kernels evaluate constant layouts with offset_at<layout>(…) of offset.hpp.
#pragma once

#include "tile/layout/coordinate.hpp"
#include "tile/layout/tuple.hpp"

namespace aisp::tile {

struct Layout {
  Shape shape = 1;
  Stride stride = 0;

  constexpr Layout() = default;
  TILE_FN Layout(const Shape& shape, const Stride& stride) : shape(shape), stride(stride) {
    require(congruent(shape, stride), LayoutRule::shape_and_stride_congruent, shape.count,
            stride.count);
    long long reach = 1;
    for (int at = 0; at < shape.count; ++at) {
      require(shape.leaf[at] >= 1, LayoutRule::extent_at_least_one, shape.leaf[at], at);
      require(stride.leaf[at] >= 0, LayoutRule::stride_not_negative, stride.leaf[at], at);
      reach = fitting(reach + (shape.leaf[at] - 1LL) * stride.leaf[at]);
    }
    size(shape);  // refuses what does not fit an int
  }
  friend constexpr bool operator==(const Layout&, const Layout&) = default;

  // At a linear index, at one index per mode, at a nested coordinate.
  TILE_FN int operator()(int index) const {
    return offset_of_index(shape, stride, 0, shape.count, index);
  }
  template <class... More>
  TILE_FN int operator()(int first, int second, More... more) const {
    const int at[] = {first, second, static_cast<int>(more)...};
    int offset = 0, leaf = 0;
    for (int index : at) {
      require(leaf < shape.count, LayoutRule::coordinate_fits_shape, sizeof...(More) + 2,
              shape.count);
      const LeafRange range = next_mode(shape, leaf);
      offset += offset_of_index(shape, stride, range.first, range.end, index);
      leaf = range.end;
    }
    require(leaf == shape.count, LayoutRule::coordinate_fits_shape, sizeof...(More) + 2,
            shape.count);
    return offset;
  }
  TILE_FN int operator()(const Coord& coord) const { return offset_of_coord(shape, stride, coord); }

  TILE_FN void push(int extent, int leaf_stride) {
    shape.push(extent);
    stride.push(leaf_stride);
  }
  TILE_FN void push(const Layout& mode) {
    shape.push(mode.shape);
    stride.push(mode.stride);
  }
  TILE_FN void enclose(int first, int opened, int last, int closed) {
    shape.enclose(first, opened, last, closed);
    stride.enclose(first, opened, last, closed);
  }
};

TILE_FN Layout column_major(const Shape& shape) { return {shape, compact_stride(shape)}; }

// Compact, with the mode of the smallest `order` varying fastest: order (1,0) is row major.
TILE_FN Layout ordered(const Shape& shape, const Tuple& order) {
  require(rank(shape) == rank(order), LayoutRule::same_rank, rank(shape), rank(order));
  Stride stride = shape;
  bool done[max_leaves] = {};
  long long step = 1;
  for (int turn = 0; turn < order.count; ++turn) {
    int least = -1;
    for (int mode = 0; mode < order.count; ++mode)
      if (!done[mode] && (least < 0 || order.leaf[mode] < order.leaf[least])) least = mode;
    done[least] = true;
    const LeafRange range = mode_range(shape, least);
    for (int at = range.first; at < range.end; ++at) {
      stride.leaf[at] = fitting(step);
      step *= shape.leaf[at];
    }
  }
  return {shape, stride};
}

// Compact, with the last mode contiguous.
TILE_FN Layout row_major(const Shape& shape) {
  Tuple order;
  for (int left = rank(shape); left > 0; --left) order.push(left);
  order.wrap();
  return ordered(shape, order);
}

TILE_FN int rank(const Layout& layout) { return rank(layout.shape); }
TILE_FN int depth(const Layout& layout) { return depth(layout.shape); }
TILE_FN int size(const Layout& layout) { return size(layout.shape); }

// One past the largest offset.
TILE_FN int cosize(const Layout& layout) {
  long long reach = 1;
  for (int at = 0; at < layout.shape.count; ++at)
    reach += (layout.shape.leaf[at] - 1LL) * layout.stride.leaf[at];
  return fitting(reach);
}

TILE_FN Layout flatten(const Layout& layout) {
  return {flatten(layout.shape), flatten(layout.stride)};
}

}  // namespace aisp::tile
