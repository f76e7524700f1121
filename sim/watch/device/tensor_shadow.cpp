#include "sim/watch/device/tensor_shadow.hpp"

#include <algorithm>
#include <bit>

#include "base/refuse.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

std::uint32_t end_of(const TensorCells& cells) { return cells.column + cells.columns; }

}  // namespace

bool overlap(const TensorCells& a, const TensorCells& b) {
  if (a.column >= end_of(b) || b.column >= end_of(a)) return false;
  for (std::size_t q = 0; q < tensor_quarters; ++q)
    if ((a.lanes[q] & b.lanes[q]) != 0) return true;
  return false;
}

bool holds(const TensorCells& all, const TensorCells& part) {
  if (part.column < all.column || end_of(part) > end_of(all)) return false;
  for (std::size_t q = 0; q < tensor_quarters; ++q)
    if ((part.lanes[q] & ~all.lanes[q]) != 0) return false;
  return true;
}

std::string cells_text(const TensorCells& cells) {
  std::string text = cells.columns == 1 ? say("column ", cells.column)
                                        : say("columns ", cells.column, "-", end_of(cells) - 1);
  int first = -1, last = -1, count = 0;
  each_lane_of(cells, [&](std::uint32_t lane) {
    if (first < 0) first = static_cast<int>(lane);
    last = static_cast<int>(lane);
    ++count;
  });
  if (count == 1) return text + say(", lane ", first);
  text += say(", lanes ", first, "-", last);
  if (count != last - first + 1) text += say(" (", count, " of them)");
  return text;
}

void TensorShadow::enter(const TensorRecord& record) {
  std::erase_if(records_, [&](const TensorRecord& old) {
    return holds(record.cells, old.cells) &&
           (record.wrote || (!old.wrote && old.actor == record.actor && old.lane == record.lane));
  });
  records_.push_back(record);
}

void TensorShadow::forget(TensorRange columns) {
  const std::uint32_t end = columns.first + columns.count;
  std::erase_if(records_, [&](const TensorRecord& old) {
    return old.cells.column < end && columns.first < end_of(old.cells);
  });
  content.forget(columns);
}

}  // namespace aisp::sim::watch
