// Which registers of a thread are which scores of attention, as layouts, and how the scores of one
// product become the A operand of the next.
#pragma once

#include "tile/atom/wgmma.hpp"

namespace aisp::tile {

// (ROW, COLUMN) -> accumulator: a thread's two rows, 8 apart, and its columns from left to right.
// The accumulators are numbered (2 columns, 2 rows, further columns).
TILE_FN Layout accumulator_rows(int count) {
  const Layout values = column_major(mode(quad_accumulators(2 * count).layout, 1).shape);
  return join(mode(values, 1), join(mode(values, 0), mode(values, 2)));
}

// 16-bit weights: two neighbouring scores are a register of the operand, in order.
static_assert(Wgmma<Element::bf16, 16>::accumulator_layout() ==
              Wgmma<Element::bf16, 64>::a_layout());

// fp8: the four neighbours of a register come from two registers' columns. A step's 16 scores of a
// thread in the operand's order, ((AT), (MMA_A)) -> score ...
inline constexpr Layout fp8_score_of_weight{Shape{Shape{2, 2}, Shape{2, 2}},
                                            Stride{Stride{1, 4}, Stride{2, 8}}};
// ... so that slot `slot` of the operand holds a key of another number, (SLOT) -> key of 32.
inline constexpr Layout fp8_slot_keys{Shape{2, 2, 4, 2}, Stride{1, 8, 2, 16}};

// By hand; V's keys are renumbered in the same way.
TILE_FN int fp8_key_of_slot(int slot) {
  const int thread = slot % 16 / 4, at = slot % 4;
  return slot / 16 * 16 + at / 2 * 8 + thread * 2 + at % 2;
}

namespace detail {

constexpr bool fp8_keys_are_proved() {
  for (int slot = 0; slot < size(fp8_slot_keys); ++slot)
    if (fp8_key_of_slot(slot) != fp8_slot_keys(slot)) return false;
  return true;
}

// What a thread has in the operand's slots are the scores that it computed, of the slots' keys.
constexpr bool fp8_weights_are_scores() {
  constexpr LaneLayout operand = Wgmma<Element::e4m3, 8>::a_layout();
  const Layout scores = Wgmma<Element::e4m3, 32>::accumulator_layout().layout;
  // (row, slot) -> row + 64 * key
  Layout keys = fp8_slot_keys;
  for (int at = 0; at < keys.shape.count; ++at) keys.stride.leaf[at] *= operand.rows;
  const Layout wanted = compose(join(Layout{operand.rows, 1}, keys), operand.layout);
  const Layout found = join(mode(scores, 0), compose(mode(scores, 1), fp8_score_of_weight));
  for (int thread = 0; thread < 128; ++thread)
    if (found(thread, 0) != wanted(thread, 0)) return false;
  for (int value = 0; value < 16; ++value)
    if (found(0, value) != wanted(0, value)) return false;
  return true;  // both are sums of a thread's part and a value's
}

}  // namespace detail

static_assert(detail::fp8_keys_are_proved() && detail::fp8_weights_are_scores());

}  // namespace aisp::tile
