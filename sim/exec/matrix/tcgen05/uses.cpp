// Which cells of tensor memory a product reads and writes, for an observer.
#include "sim/exec/matrix/tcgen05/product.hpp"
#include "sim/exec/matrix/tcgen05/scales.hpp"
#include "sim/machine/tensor_use.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint32_t operand_columns = 8;  // of A

}  // namespace

// The lanes of the accumulator's rows, which A has as well.
TensorCells TensorProduct::cells_of_rows(TensorAddress at, std::uint32_t columns) const {
  TensorCells cells{.column = at.column, .columns = columns};
  const AccumulatorLayout lanes_of = layout();
  for (int piece = 0; piece < lanes_of.pieces; ++piece)
    for (int row = 0; row < lanes_of.rows; ++row)
      cells.add_lane(at.lane + static_cast<std::uint32_t>(lanes_of.lane(row, piece)));
  return cells;
}

template <class Tell>
void TensorProduct::tell_metadata(TensorUse& use, Tell&& tell) const {
  const MetadataLayout metadata_of = metadata_layout();
  const AccumulatorLayout lanes_of = layout();
  constexpr int halves[] = {0, 4};  // nibbles, one of each half of k
  use.cells = {.column = metadata.column + static_cast<std::uint32_t>(shape.selector),
               .columns = static_cast<std::uint32_t>(metadata_of.columns())};
  for (int piece = 0; piece < lanes_of.pieces; ++piece)
    for (int row = 0; row < lanes_of.rows; ++row)
      for (const int nibble : halves) {
        const int lane = metadata_of.place(lanes_of.lane(row, piece), nibble).lane;
        use.cells.add_lane(metadata.lane + static_cast<std::uint32_t>(lane));
      }
  tell("the metadata", Access::read,
       metadata_of.shares_words ? TensorFeed::two_rows : TensorFeed::lane);
}

template <class Tell>
void TensorProduct::tell_scales(TensorUse& use, Tell&& tell) const {
  const std::uint32_t a_column = TensorAddress::of(a_scales).column,
                      b_column = TensorAddress::of(b_scales).column;
  for (std::uint32_t q = 0; q < quarters; ++q) {
    use.cells = {.column = a_column + q, .columns = 1};
    use.cells.lanes[q] = ~0u;
    tell("the scales of A", Access::read, TensorFeed::lane);
  }
  const auto n = static_cast<std::uint32_t>(shape.n);
  if (n >= quarter_rows) {
    use.cells = {.column = b_column, .columns = n / quarter_rows};
    use.cells.lanes.fill(~0u);
    tell("the scales of B", Access::read, TensorFeed::column);
  }
  if (n % quarter_rows != 0) {
    use.cells = {.column = b_column + n / quarter_rows, .columns = 1};
    use.cells.lanes.fill((1u << n % quarter_rows) - 1);
    use.first_result = n / quarter_rows * quarter_rows;
    tell("the scales of B", Access::read, TensorFeed::column);
    use.first_result = 0;
  }
}

void TensorProduct::tell_uses(Warp& warp, int lane) const {
  for (int i = 0; i < blocks.count; ++i) {
    TensorUse use{.block = blocks.at[i], .deed = TensorDeed::product, .pair = form.pair};
    const auto tell = [&](const char* operand, Access access, TensorFeed feed) {
      use.operand = operand;
      use.access = access;
      use.feed = feed;
      warp.observer->tensor_used(warp, lane, use);
    };
    if (form.a_in_tensor_memory) {
      use.cells = cells_of_rows(a, operand_columns);
      tell("A", form.shifts_a ? Access::write : Access::read, TensorFeed::lane);
    }
    if (form.sparse) tell_metadata(use, tell);
    if (has_block_scales(form.kind)) tell_scales(use, tell);
    use.cells = cells_of_rows(d, static_cast<std::uint32_t>(shape.n / layout().pieces));
    for (std::size_t q = 0; q < tensor_quarters; ++q)
      use.cells.lanes[q] &= ~disabled[static_cast<std::size_t>(i) * tensor_quarters + q];
    use.form = std::uint64_t{1} << 63 | static_cast<std::uint64_t>(form.kind) << 48 |
               static_cast<std::uint64_t>(shape.m) << 36 |
               static_cast<std::uint64_t>(shape.n) << 24 | d.lane << 16 | d.column << 2 |
               std::uint64_t{form.pair} << 1 | std::uint64_t{form.weight_stationary};
    tell("D", Access::write, accumulate ? TensorFeed::cell : TensorFeed::none);
  }
}

}  // namespace aisp::sim
