// Taking layouts apart and putting them together by their modes.
#pragma once

#include "tile/layout/layout.hpp"

namespace aisp::tile {

TILE_FN Layout no_modes() {
  Layout out;
  out.shape = out.stride = Tuple();
  return out;
}

// The layout whose `count` modes were pushed one by one: one mode stands bare, none is 1:0.
TILE_FN Layout closed(Layout modes, int count) {
  if (count == 0) return {};
  if (count > 1) modes.enclose(0, 1, modes.shape.count - 1, 1);
  return modes;
}

template <class... Layouts>
TILE_FN Layout join(const Layouts&... modes) {
  Layout out = no_modes();
  (out.push(modes), ...);
  out.enclose(0, 1, out.shape.count - 1, 1);
  return out;
}

TILE_FN Layout node(const Layout& layout, LeafRange range) {
  Layout out;  // a part of a layout needs no new check
  out.shape = node(layout.shape, range);
  out.stride = node(layout.stride, range);
  return out;
}
TILE_FN Layout mode(const Layout& layout, int mode) {
  return node(layout, mode_range(layout.shape, mode));
}

// The modes named by `which`, in that order: select(l, {1, 0}) swaps two modes.
TILE_FN Layout select(const Layout& layout, const Tuple& which) {
  Layout out = no_modes();
  for (int at = 0; at < which.count; ++at) out.push(mode(layout, which.leaf[at]));
  if (out.shape.count > 0) out.enclose(0, 1, out.shape.count - 1, 1);
  return out;
}

// Modes first…end-1 as a layout.
TILE_FN Layout take(const Layout& layout, int first, int end) {
  Tuple which;
  for (int at = first; at < end; ++at) which.push(at);
  return select(layout, which);
}

// Modes first…end-1 become one.
TILE_FN Layout group(const Layout& layout, int first, int end) {
  Layout out = no_modes();
  for (int at = 0; at < first; ++at) out.push(mode(layout, at));
  out.push(take(layout, first, end));
  for (int at = end; at < rank(layout); ++at) out.push(mode(layout, at));
  out.enclose(0, 1, out.shape.count - 1, 1);
  return out;
}

// One more mode at the end.
TILE_FN Layout append(const Layout& layout, const Layout& last) {
  Layout out = no_modes();
  for (int at = 0; at < rank(layout); ++at) out.push(mode(layout, at));
  out.push(last);
  out.enclose(0, 1, out.shape.count - 1, 1);
  return out;
}

// Modes 1:0 at the end until the rank is reached. A bare leaf becomes a tuple of one mode: what is
// composed with it later stays one mode, even where the leaf is split.
TILE_FN Layout padded(const Layout& layout, int wanted_rank) {
  Layout out = is_leaf(layout.shape) ? join(layout) : layout;
  for (int at = rank(layout); at < wanted_rank; ++at) out = append(out, Layout{});
  return out;
}

struct Slice {
  Layout layout;   // what the free modes of the coordinate leave
  int offset = 0;  // where it starts
};

// slice(l, {2, free_mode}) is row 2: fixed modes become an offset, free ones are kept, side by
// side.
TILE_FN Slice slice(const Layout& layout, const Coord& coord) {
  Layout kept = no_modes();
  int offset = 0, free_modes = 0;
  for (CoordWalk walk{coord, layout.shape}; walk.next();) {
    if (walk.value() == free_mode) {
      kept.push(node(layout, walk.range));
      ++free_modes;
    } else {
      offset += offset_of_index(layout.shape, layout.stride, walk.range.first, walk.range.end,
                                walk.value());
    }
  }
  return {closed(kept, free_modes), offset};
}

}  // namespace aisp::tile
