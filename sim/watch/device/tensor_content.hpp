// Which cells of a block's tensor memory hold a defined value. tcgen05.alloc leaves all of them
// undefined. A product whose operands are undefined in part gives results that are, row by row or
// column by column; that does harm only where such a result is read.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/tensor_use.hpp"
#include "sim/watch/device/clock.hpp"

namespace aisp::sim::watch {

// body(lane) for the lanes of a rectangle.
template <class Body>
void each_lane_of(const TensorCells& cells, Body&& body) {
  for (std::uint32_t q = 0; q < tensor_quarters; ++q)
    for (std::uint32_t left = cells.lanes[q]; left != 0; left &= left - 1)
      body(q * 32 + static_cast<std::uint32_t>(std::countr_zero(left)));
}

// The operand of a product that no instruction had written.
struct UndefinedOperand {
  TensorCells cells;
  const char* operand = "";
  Actor actor = 0;  // that issued the product
  int lane = 0;
  std::uint32_t pc = 0;
};

class TensorContent {
 public:
  using Cause = std::uint16_t;  // 0: defined; else the number of an UndefinedOperand

  // The cells hold what st or cp writes.
  void define(const TensorCells& cells);
  void forget(TensorRange columns);
  void shift_down(const TensorCells& cells);  // lane i takes what lane i + 1 of its quarter holds
  // An operand of a product, told before its D; `by` says which one.
  void feed(const TensorUse& use, const UndefinedOperand& by);
  // D of a product, behind all of its operands.
  void compute(const TensorUse& d, const UndefinedOperand& by);
  bool has_unwritten(const TensorCells& cells) const;
  // Why the first of these cells that was computed from undefined ones is so; null: none was.
  const UndefinedOperand* undefined(const TensorCells& cells) const;

 private:
  using Columns = std::array<std::uint64_t, tensor_columns / 64>;
  // Of a cell: 0 when it is defined.
  Cause cause_of(std::uint32_t lane, std::uint32_t column, const UndefinedOperand& by);
  Cause new_cause(const UndefinedOperand& by);
  void set_cause(std::uint32_t lane, std::uint32_t column, Cause cause);
  bool is_unwritten(std::uint32_t lane, std::uint32_t column) const {
    return written_.empty() || (written_[lane][column / 64] >> column % 64 & 1) == 0;
  }
  bool is_whole(std::uint32_t lane, std::uint32_t column, std::uint32_t columns) const;

  std::vector<Columns> written_;  // by lane; made with the first write
  // Of cells that were computed from undefined ones; made with the first of them.
  std::vector<Cause> causes_;
  std::vector<UndefinedOperand> operands_;
  // Operands of the product that is being told of.
  std::array<Cause, tensor_lanes> row_{};
  std::array<std::vector<Cause>, tensor_quarters> column_;
  Cause latest_ = 0;     // the number of the operand that was told of last, once it has one
  bool is_new_ = false;  // ... which this product is the first to have
};

}  // namespace aisp::sim::watch
