#include "sim/watch/device/tensor_shadow.hpp"

#include <algorithm>
#include <bit>

#include "base/refuse.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

std::uint32_t end_of(const TensorCells& cells) { return cells.column + cells.columns; }

// body(word, bits) for the words that hold bits of these columns.
template <class Body>
void each_word(std::uint32_t first, std::uint32_t end, Body&& body) {
  for (std::uint32_t column = first; column < std::min<std::uint32_t>(end, tensor_columns);) {
    const std::uint32_t inside = column % 64, count = std::min(64 - inside, end - column);
    const std::uint64_t bits = count == 64 ? ~0ull : ((1ull << count) - 1) << inside;
    body(column / 64, bits);
    column += count;
  }
}

template <class Body>
void each_lane_of(const TensorCells& cells, Body&& body) {
  for (std::uint32_t q = 0; q < tensor_quarters; ++q)
    for (std::uint32_t left = cells.lanes[q]; left != 0; left &= left - 1)
      body(q * 32 + static_cast<std::uint32_t>(std::countr_zero(left)));
}

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
  if (!record.wrote || channel_of(record.actor) == Channel::lanes) return;
  if (written_.empty()) written_.resize(tensor_lanes);
  each_lane_of(record.cells, [&](std::uint32_t lane) {
    each_word(record.cells.column, end_of(record.cells),
              [&](std::uint32_t word, std::uint64_t bits) { written_[lane][word] |= bits; });
  });
}

void TensorShadow::forget(TensorRange columns) {
  const std::uint32_t end = columns.first + columns.count;
  std::erase_if(records_, [&](const TensorRecord& old) {
    return old.cells.column < end && columns.first < end_of(old.cells);
  });
  for (Columns& lane : written_)
    each_word(columns.first, end,
              [&](std::uint32_t word, std::uint64_t bits) { lane[word] &= ~bits; });
}

TensorCells TensorShadow::unwritten(const TensorCells& cells) const {
  TensorCells missing;
  each_lane_of(cells, [&](std::uint32_t lane) {
    std::uint32_t first = tensor_columns, last = 0;
    each_word(cells.column, end_of(cells), [&](std::uint32_t word, std::uint64_t bits) {
      const std::uint64_t left = written_.empty() ? bits : bits & ~written_[lane][word];
      if (left == 0) return;
      first = std::min(first, word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
      last = word * 64 + 63 - static_cast<std::uint32_t>(std::countl_zero(left));
    });
    if (first > last) return;
    if (missing.columns == 0) {
      missing.column = first;
      missing.columns = last - first + 1;
    }
    missing.add_lane(lane);
  });
  return missing;
}

}  // namespace aisp::sim::watch
