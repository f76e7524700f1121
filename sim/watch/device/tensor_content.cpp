#include "sim/watch/device/tensor_content.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace aisp::sim::watch {
namespace {

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

std::uint32_t end_in_memory(const TensorCells& cells) {
  return std::min<std::uint32_t>(cells.column + cells.columns, tensor_columns);
}

std::size_t index_of_cell(std::uint32_t lane, std::uint32_t column) {
  return std::size_t{lane} * tensor_columns + column;
}

void add_column(TensorCells& cells, std::uint32_t column) {
  if (cells.columns == 0) cells.column = column;
  const std::uint32_t first = std::min(cells.column, column);
  cells.columns = std::max(cells.column + cells.columns, column + 1) - first;
  cells.column = first;
}

}  // namespace

void TensorContent::define(const TensorCells& cells) {
  if (written_.empty()) written_.resize(tensor_lanes);
  each_lane_of(cells, [&](std::uint32_t lane) {
    each_word(cells.column, end_in_memory(cells),
              [&](std::uint32_t word, std::uint64_t bits) { written_[lane][word] |= bits; });
    if (!causes_.empty())
      std::fill(
          causes_.begin() + static_cast<std::ptrdiff_t>(index_of_cell(lane, cells.column)),
          causes_.begin() + static_cast<std::ptrdiff_t>(index_of_cell(lane, end_in_memory(cells))),
          Cause{0});
  });
}

void TensorContent::forget(TensorRange columns) {
  TensorCells cells{.column = columns.first, .columns = columns.count};
  cells.lanes.fill(~0u);
  if (!causes_.empty()) define(cells);
  for (Columns& lane : written_)
    each_word(columns.first, columns.first + columns.count,
              [&](std::uint32_t word, std::uint64_t bits) { lane[word] &= ~bits; });
}

void TensorContent::shift_down(const TensorCells& cells) {
  if (written_.empty()) return;
  for (std::uint32_t lane = 0; lane < tensor_lanes; ++lane) {
    if (lane % 32 == 31) continue;
    each_word(cells.column, end_in_memory(cells), [&](std::uint32_t word, std::uint64_t bits) {
      written_[lane][word] = (written_[lane][word] & ~bits) | (written_[lane + 1][word] & bits);
    });
    if (causes_.empty()) continue;
    for (std::uint32_t column = cells.column; column < end_in_memory(cells); ++column)
      causes_[index_of_cell(lane, column)] = causes_[index_of_cell(lane + 1, column)];
  }
}

bool TensorContent::is_whole(std::uint32_t lane, std::uint32_t column,
                             std::uint32_t columns) const {
  if (written_.empty()) return false;
  bool whole = true;
  each_word(column, column + columns, [&](std::uint32_t word, std::uint64_t bits) {
    whole &= (bits & ~written_[lane][word]) == 0;
  });
  return whole;
}

bool TensorContent::has_unwritten(const TensorCells& cells) const {
  bool found = false;
  each_lane_of(cells, [&](std::uint32_t lane) {
    found |= !is_whole(lane, cells.column, end_in_memory(cells) - cells.column);
  });
  return found;
}

TensorContent::Cause TensorContent::new_cause(const UndefinedOperand& by) {
  if (latest_ != 0) return latest_;
  // The same instruction again, as in a loop: one finding is all that comes of it.
  const auto same = std::find_if(operands_.begin(), operands_.end(), [&](const auto& known) {
    return known.pc == by.pc && known.operand == by.operand;
  });
  if (same == operands_.end()) {
    if (operands_.size() == std::numeric_limits<Cause>::max()) return latest_ = 1;
    operands_.push_back(by);
    operands_.back().cells = {};
    is_new_ = true;
    return latest_ = static_cast<Cause>(operands_.size());
  }
  is_new_ = false;
  return latest_ = static_cast<Cause>(same - operands_.begin() + 1);
}

TensorContent::Cause TensorContent::cause_of(std::uint32_t lane, std::uint32_t column,
                                             const UndefinedOperand& by) {
  if (!is_unwritten(lane, column))
    return causes_.empty() ? Cause{0} : causes_[index_of_cell(lane, column)];
  const Cause cause = new_cause(by);
  if (!is_new_) return cause;
  TensorCells& cells = operands_[cause - 1u].cells;
  add_column(cells, column);
  cells.add_lane(lane);
  return cause;
}

void TensorContent::set_cause(std::uint32_t lane, std::uint32_t column, Cause cause) {
  if (causes_.empty()) causes_.resize(std::size_t{tensor_lanes} * tensor_columns);
  causes_[index_of_cell(lane, column)] = cause;
}

void TensorContent::feed(const TensorUse& use, const UndefinedOperand& by) {
  latest_ = 0;
  const auto keep_first = [](Cause& at, Cause cause) {
    if (at == 0) at = cause;
  };
  each_lane_of(use.cells, [&](std::uint32_t lane) {
    if (causes_.empty() && is_whole(lane, use.cells.column, use.cells.columns)) return;
    for (std::uint32_t column = use.cells.column; column < end_in_memory(use.cells); ++column) {
      const Cause cause = cause_of(lane, column, by);
      if (cause == 0) continue;
      if (use.feed == TensorFeed::column) {
        std::vector<Cause>& of_quarter = column_[lane / 32];
        of_quarter.resize(tensor_columns);
        const std::uint32_t result =
            use.first_result + 32 * (column - use.cells.column) + lane % 32;
        if (result < tensor_columns) keep_first(of_quarter[result], cause);
        continue;
      }
      keep_first(row_[lane], cause);
      if (use.feed == TensorFeed::two_rows) keep_first(row_[lane ^ 8], cause);
    }
  });
}

void TensorContent::compute(const TensorUse& d, const UndefinedOperand& by) {
  latest_ = 0;
  const bool adds = d.feed == TensorFeed::cell;
  // Found before any cell of D counts as written.
  std::vector<std::pair<std::size_t, Cause>> undefined;
  each_lane_of(d.cells, [&](std::uint32_t lane) {
    const std::vector<Cause>& by_column = column_[lane / 32];
    const bool old = adds && (!causes_.empty() || !is_whole(lane, d.cells.column, d.cells.columns));
    if (!old && row_[lane] == 0 && by_column.empty()) return;
    for (std::uint32_t column = d.cells.column; column < end_in_memory(d.cells); ++column) {
      Cause cause = old ? cause_of(lane, column, by) : Cause{0};
      if (cause == 0) cause = row_[lane];
      if (cause == 0 && !by_column.empty()) cause = by_column[column - d.cells.column];
      if (cause != 0) undefined.emplace_back(index_of_cell(lane, column), cause);
    }
  });
  define(d.cells);
  for (const auto& [cell, cause] : undefined)
    set_cause(static_cast<std::uint32_t>(cell / tensor_columns),
              static_cast<std::uint32_t>(cell % tensor_columns), cause);
  row_ = {};
  for (auto& of_quarter : column_) of_quarter.clear();
}

const UndefinedOperand* TensorContent::undefined(const TensorCells& cells) const {
  if (causes_.empty()) return nullptr;
  const UndefinedOperand* found = nullptr;
  each_lane_of(cells, [&](std::uint32_t lane) {
    if (found != nullptr) return;
    const auto first = causes_.begin() + static_cast<std::ptrdiff_t>(index_of_cell(lane, 0));
    const auto at = std::find_if(first + cells.column, first + end_in_memory(cells),
                                 [](Cause cause) { return cause != 0; });
    if (at != first + end_in_memory(cells)) found = &operands_[*at - 1u];
  });
  return found;
}

}  // namespace aisp::sim::watch
