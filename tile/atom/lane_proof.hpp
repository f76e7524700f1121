// Proofs that arithmetic which a kernel does by hand is a layout, at every coordinate, while
// compiling: static_assert(is_map_of(layout, by_hand)). The layout is evaluated once for each lane
// and once for each value, not for each pair.
#pragma once

#include "tile/atom/lane_layout.hpp"

namespace aisp::tile {

inline constexpr int most_proved = 256;  // lanes, and values of a lane

// by_hand(lane, value) is the offset, for all indices of the two modes.
template <class ByHand>
constexpr bool is_offset_of(const Layout& layout, ByHand by_hand) {
  const Layout first = mode(layout, 0), second = mode(layout, 1);
  const int lanes = size(first), values = size(second);
  if (rank(layout) != 2 || lanes > most_proved || values > most_proved) return false;
  int of_value[most_proved] = {};
  for (int value = 0; value < values; ++value) of_value[value] = second(value);
  for (int lane = 0; lane < lanes; ++lane) {
    const int of_lane = first(lane);
    for (int value = 0; value < values; ++value)
      if (by_hand(lane, value) != of_lane + of_value[value]) return false;
  }
  return true;
}

// by_hand(lane, value) is the cell.
template <class ByHand>
constexpr bool is_map_of(const LaneLayout& map, ByHand by_hand) {
  return is_offset_of(map.layout, [&](int lane, int value) {
    const Cell cell = by_hand(lane, value);
    return cell.row < 0 || cell.row >= map.rows ? -1 : cell.row + map.rows * cell.column;
  });
}

}  // namespace aisp::tile
