// offset_at<layout>(i, j): the offset of a constant layout at run-time indices, for kernels. Modes,
// extents and strides are all template arguments here, so what is left is shifts, masks and adds,
// and no copy of the layout travels to the device. One index, or one index per mode; for one
// index per leaf give flatten(layout).
#pragma once

#include <utility>

#include "tile/layout/swizzle.hpp"

namespace aisp::tile {

namespace detail {

template <int extent, int stride, bool last>
TILE_FN int leaf_offset(unsigned& rest) {
  if constexpr (last) return static_cast<int>(rest) * stride;
  const unsigned coord = rest % extent;
  rest /= extent;
  return static_cast<int>(coord) * stride;
}

template <Layout layout, int first, int... leaf>
TILE_FN int node_offset(int index, std::integer_sequence<int, leaf...>) {
  unsigned rest = static_cast<unsigned>(index);
  int offset = 0;
  ((offset += leaf_offset<layout.shape.leaf[first + leaf], layout.stride.leaf[first + leaf],
                          leaf + 1 == sizeof...(leaf)>(rest)),
   ...);
  return offset;
}

template <Layout layout, int mode>
TILE_FN int mode_offset(int index) {
  constexpr LeafRange range = mode_range(layout.shape, mode);
  return node_offset<layout, range.first>(
      index, std::make_integer_sequence<int, range.end - range.first>());
}

template <Layout layout, int... mode, class... Index>
TILE_FN int modes_offset(std::integer_sequence<int, mode...>, Index... index) {
  return (mode_offset<layout, mode>(static_cast<int>(index)) + ... + 0);
}

template <int got, int wanted>
TILE_FN int wrong_number_of_indices() {
  static_assert(got == wanted, "offset_at: give one index, or one for each mode of the layout");
  return 0;
}

}  // namespace detail

template <Layout layout, class... Index>
TILE_FN int offset_at(Index... index) {
  if constexpr (sizeof...(Index) == 1)
    return detail::node_offset<layout, 0>(index...,
                                          std::make_integer_sequence<int, layout.shape.count>());
  else if constexpr (sizeof...(Index) != rank(layout))
    return detail::wrong_number_of_indices<sizeof...(Index), rank(layout)>();
  else
    return detail::modes_offset<layout>(std::make_integer_sequence<int, sizeof...(Index)>(),
                                        index...);
}

template <Swizzled composed, class... Index>
TILE_FN int offset_at(Index... index) {
  constexpr Swizzle swizzle = composed.swizzle;
  constexpr int start = composed.offset;
  constexpr Layout layout = composed.layout;
  return swizzle(start + offset_at<layout>(index...));
}

}  // namespace aisp::tile
