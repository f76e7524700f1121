// The lane map of an atom as a thread-value layout: (lane, value) -> row + rows * column of a
// matrix, as CUTLASS states it and `aisp layout --tv` draws it. Rows and columns of a thread's
// registers and offsets in shared memory follow from it by the layout algebra.
#pragma once

#include "tile/atom/cell.hpp"
#include "tile/layout/offset.hpp"
#include "tile/layout/query.hpp"

namespace aisp::tile {

struct LaneLayout {
  int rows = 1, columns = 1;
  Layout layout;  // (LANE, VALUE) -> row + rows * column
  constexpr bool operator==(const LaneLayout&) const = default;

  // (LANE, VALUE) -> offset in memory whose rows and columns are so far apart. The composition
  // refuses a map whose rows carry into the next column.
  TILE_FN Layout into(int row_stride, int column_stride) const {
    return compose(Layout{Shape{rows, columns}, Stride{row_stride, column_stride}}, layout);
  }
  // The same map in the corner of a larger matrix.
  TILE_FN LaneLayout within(int more_rows, int more_columns) const {
    return {more_rows, more_columns, into(1, more_rows)};
  }
  // The map repeated by further lanes, or by further values of each lane, that are `row` rows and
  // `column` columns apart.
  TILE_FN LaneLayout with_lanes(int count, int row, int column) const {
    const Layout more{count, row + rows * column};
    return {rows, columns, join(append(mode(layout, 0), more), mode(layout, 1))};
  }
  TILE_FN LaneLayout with_values(int count, int row, int column) const {
    const Layout more{count, row + rows * column};
    return {rows, columns, join(mode(layout, 0), append(mode(layout, 1), more))};
  }
};

namespace detail {

// The leaves [at, end) of a layout at an index, of which the leaves before took `divisor`. Signed,
// and without what has stride 0: the code that one writes by hand.
template <Layout layout, int at, int end, int divisor = 1>
TILE_FN int leaves_offset(int index) {
  constexpr int extent = layout.shape.leaf[at], stride = layout.stride.leaf[at];
  if constexpr (at + 1 == end)
    return stride == 0 ? 0 : index / divisor * stride;
  else if constexpr (stride == 0)
    return leaves_offset<layout, at + 1, end, divisor * extent>(index);
  else
    return index / divisor % extent * stride +
           leaves_offset<layout, at + 1, end, divisor * extent>(index);
}
template <Layout layout>
TILE_FN int lane_offset(int lane, int value) {
  constexpr int lanes = mode_range(layout.shape, 0).end;
  return leaves_offset<layout, lanes, layout.shape.count>(value) +
         leaves_offset<layout, 0, lanes>(lane);
}

}  // namespace detail

// The element that is `value` of `lane`: cell_at<Atom::a_layout>(lane, value). Both may be numbers
// of the run. The map is given by the function that returns it, since nvcc cannot write a layout
// into the host's code of a class that is no template.
template <LaneLayout (*map)()>
TILE_FN Cell cell_at(int lane, int value) {
  constexpr Layout row = map().into(1, 0), column = map().into(0, 1);
  return {detail::lane_offset<row>(lane, value), detail::lane_offset<column>(lane, value)};
}

namespace detail {

// The column of each leaf's step is a multiple of `vector`, but for those within a vector.
TILE_FN bool columns_start_at(const LaneLayout& map, const Layout& mode, int vector) {
  for (int at = 0; at < mode.shape.count; ++at) {
    const int column = mode.stride.leaf[at] / map.rows;
    if (mode.shape.leaf[at] > 1 && column >= vector && column % vector != 0) return false;
  }
  return true;
}

}  // namespace detail

// Every element has the same number of owners, among them one at least.
TILE_FN bool covers_evenly(const LaneLayout& map) {
  int moving = 1;  // lanes and values of different elements
  for (int at = 0; at < map.layout.shape.count; ++at)
    if (map.layout.stride.leaf[at] > 0) moving *= map.layout.shape.leaf[at];
  return moving == map.rows * map.columns && covers(map.layout, moving);
}
// ... and that is one.
TILE_FN bool covers_once(const LaneLayout& map) {
  return size(map.layout) == map.rows * map.columns && covers_evenly(map);
}

// A lane's accumulators come in fragments of four for the epilogue: rows r and r + 8, columns c and
// c + 1, with c even.
TILE_FN bool has_fragments(const LaneLayout& map) {
  const Layout values = mode(map.layout, 1);
  return size(values) % 4 == 0 &&
         compose(values, Layout{4, 1}) == Layout{Shape{2, 2}, Stride{map.rows, 8}} &&
         detail::columns_start_at(map, map.layout, 2);
}

// Each `vector` values of a lane follow each other along k, so that one load brings them.
TILE_FN bool has_vectors(const LaneLayout& map, int vector) {
  return vector == 1 ||
         (compose(mode(map.layout, 1), Layout{vector, 1}) == Layout{vector, map.rows} &&
          detail::columns_start_at(map, map.layout, vector));
}

// Every accumulator has one owner, and every element of A and B the same number of owners: one
// where the tensor core exchanges operands between lanes, more where each lane reads what it needs.
template <class Atom>
constexpr bool is_atom = covers_once(Atom::accumulator_layout()) &&
                         has_fragments(Atom::accumulator_layout()) &&
                         covers_evenly(Atom::a_layout()) && covers_evenly(Atom::b_layout()) &&
                         has_vectors(Atom::a_layout(),
                                     Atom::vector_registers* Atom::per_register) &&
                         has_vectors(Atom::b_layout(), Atom::vector_registers* Atom::per_register);

// What mma.sync and wgmma have in common: lanes are eight groups of four, a group is a row.
//
// Accumulators of a warp's 16 rows: a lane has two neighbours of rows r and r + 8, then those of
// the next 8 columns.
TILE_FN LaneLayout quad_accumulators(int columns) {
  return {16, columns,
          Layout{Shape{Shape{4, 8}, Shape{2, 2, columns / 8}},
                 Stride{Stride{2 * 16, 1}, Stride{16, 8, 8 * 16}}}};
}
// A of 16 rows and `columns` k, `per` elements to a register: register r is rows 8 (r % 2) on.
TILE_FN LaneLayout quad_operand(int columns, int per) {
  return {16, columns,
          Layout{Shape{Shape{4, 8}, Shape{per, 2, columns / (4 * per)}},
                 Stride{Stride{per * 16, 1}, Stride{16, 8, 4 * per * 16}}}};
}
// Warps one below the other.
TILE_FN LaneLayout stacked(const LaneLayout& of_warp, int warps) {
  return of_warp.within(warps * of_warp.rows, of_warp.columns).with_lanes(warps, of_warp.rows, 0);
}

static_assert(stacked(quad_accumulators(16), 4).layout ==
              Layout{Shape{Shape{4, 8, 4}, Shape{2, 2, 2}},
                     Stride{Stride{128, 1, 16}, Stride{64, 8, 512}}});

}  // namespace aisp::tile
