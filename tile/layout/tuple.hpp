// A hierarchical tuple of integers as a plain value: (4,(2,2)) is three leaves and where the
// parentheses stand. Shapes, strides and coordinates are all of this type. It has no pointers and
// a fixed capacity, so it can be a template argument.
#pragma once

#include <initializer_list>

#include "tile/layout/refuse.hpp"

namespace aisp::tile {

inline constexpr int max_leaves = 16;
inline constexpr int max_depth = 6;
inline constexpr int max_int = 0x7fffffff;

// The free mode of a coordinate given to slice(); written _ in text.
inline constexpr int free_mode = -1;

// Tuple(4) is the bare leaf 4; Tuple{4} is (4), Tuple{4, {2, 2}} is (4,(2,2)). Copy with = or (),
// since Tuple{other} is ((other)).
struct Tuple {
  int leaf[max_leaves] = {};
  int count = 0;
  unsigned long long opens = 0;   // nibble i: parentheses opened just before leaf i
  unsigned long long closes = 0;  // nibble i: parentheses closed just after leaf i

  constexpr Tuple() = default;
  TILE_FN Tuple(int value) : count(1) { leaf[0] = value; }
  TILE_FN Tuple(std::initializer_list<Tuple> modes) {
    for (const Tuple& mode : modes) push(mode);
    wrap();
  }
  friend constexpr bool operator==(const Tuple&, const Tuple&) = default;

  TILE_FN int open(int at) const { return static_cast<int>(opens >> 4 * at & 15); }
  TILE_FN int close(int at) const { return static_cast<int>(closes >> 4 * at & 15); }

  TILE_FN void push(int value) {
    if (count == max_leaves) settle(LayoutRule::fits_capacity, count + 1, max_leaves);
    leaf[count++] = value;
  }
  // Puts the leaves of `mode`, with its parentheses, behind those that are here.
  TILE_FN void push(const Tuple& mode) {
    require(mode.count > 0, LayoutRule::mode_not_empty, count, count + 1);
    require(count + mode.count <= max_leaves, LayoutRule::fits_capacity, count + mode.count,
            max_leaves);
    opens |= mode.opens << 4 * count;
    closes |= mode.closes << 4 * count;
    for (int at = 0; at < mode.count; ++at) leaf[count + at] = mode.leaf[at];
    count += mode.count;
  }

  // Opens parentheses before leaf `first` and closes some after leaf `last`.
  TILE_FN void enclose(int first, int opened, int last, int closed) {
    const int deepest =
        open(first) + opened > close(last) + closed ? open(first) + opened : close(last) + closed;
    require(deepest <= max_depth, LayoutRule::fits_depth, deepest, max_depth);
    opens += static_cast<unsigned long long>(opened) << 4 * first;
    closes += static_cast<unsigned long long>(closed) << 4 * last;
  }
  TILE_FN void wrap() {
    if (count > 0) enclose(0, 1, count - 1, 1);
  }
};

using Shape = Tuple;
using Stride = Tuple;
using Coord = Tuple;

TILE_FN int fitting(long long value) {
  require(value <= max_int, LayoutRule::fits_int, value, max_int);
  return static_cast<int>(value);
}

TILE_FN bool is_leaf(const Tuple& tuple) { return tuple.count == 1 && tuple.opens == 0; }

TILE_FN bool congruent(const Tuple& a, const Tuple& b) {
  return a.count == b.count && a.opens == b.opens && a.closes == b.closes;
}

TILE_FN int depth(const Tuple& tuple) {
  int level = 0, deepest = 0;
  for (int at = 0; at < tuple.count; ++at) {
    level += tuple.open(at);
    if (level > deepest) deepest = level;
    level -= tuple.close(at);
  }
  return deepest;
}

// A run of leaves [first, end) that is one node of the tree, `level` parentheses deep.
struct LeafRange {
  int first = 0, end = 0, level = 0;
};

TILE_FN LeafRange next_mode(const Tuple& tuple, int first) {
  const int top = is_leaf(tuple) ? 0 : 1;
  int level = (first == 0 ? 0 : top), end = first;
  do {
    level += tuple.open(end) - tuple.close(end);
    ++end;
  } while (level > top && end < tuple.count);
  return {first, end, top};
}

// Number of modes at the top: (4,(2,2)) has 2, the bare leaf 4 has 1.
TILE_FN int rank(const Tuple& tuple) {
  int modes = 0;
  for (int at = 0; at < tuple.count; ++modes) at = next_mode(tuple, at).end;
  return modes;
}

TILE_FN LeafRange mode_range(const Tuple& tuple, int mode) {
  int first = 0;
  for (int skip = 0; skip < mode && first < tuple.count; ++skip)
    first = next_mode(tuple, first).end;
  if (mode < 0 || first >= tuple.count) settle(LayoutRule::mode_exists, mode, rank(tuple));
  return next_mode(tuple, first);
}

// The node of the tree that covers `range`, as a tuple of its own.
TILE_FN Tuple node(const Tuple& tuple, LeafRange range) {
  Tuple out;
  int level = 0;
  for (int at = 0; at < range.first; ++at) level += tuple.open(at) - tuple.close(at);
  // Parentheses around the node itself or outside it are not its own.
  int opened = level + tuple.open(range.first) - range.level;
  level = 0;
  for (int at = range.first; at < range.end; ++at) {
    const bool last = at + 1 == range.end;
    level += opened;
    const int closed = last ? level : tuple.close(at);
    out.leaf[out.count] = tuple.leaf[at];
    out.opens |= static_cast<unsigned long long>(opened) << 4 * out.count;
    out.closes |= static_cast<unsigned long long>(closed) << 4 * out.count;
    ++out.count;
    level -= closed;
    if (!last) opened = tuple.open(at + 1);
  }
  return out;
}

TILE_FN Tuple mode(const Tuple& tuple, int mode) { return node(tuple, mode_range(tuple, mode)); }

// All leaves at one level; a bare leaf stays bare.
TILE_FN Tuple flatten(const Tuple& tuple) {
  Tuple out = tuple;
  out.opens = out.closes = 0;
  if (!is_leaf(tuple)) out.wrap();
  return out;
}

// The product of all leaves.
TILE_FN int size(const Tuple& tuple) {
  long long product = 1;
  for (int at = 0; at < tuple.count; ++at) product = fitting(product * tuple.leaf[at]);
  return static_cast<int>(product);
}

}  // namespace aisp::tile
