// Which cell of tensor memory a register of tcgen05.ld and st is. Plain constexpr functions: the
// handlers, the tests and the comparison with other statements of the same facts all read them.
#pragma once

#include <cstdint>

namespace aisp::sim {

enum class TransferShape : std::uint8_t { l32x32b, l16x64b, l16x128b, l16x256b, l16x32bx2 };

// Relative to the address: of 16-lane shapes the lane is below 16.
struct TensorCell {
  int lane = 0, column = 0;
};

constexpr int registers_of(TransferShape shape, int count) {
  return shape == TransferShape::l16x128b   ? 2 * count
         : shape == TransferShape::l16x256b ? 4 * count
                                            : count;
}

// Register `i` of thread `t`. The second half of the threads of 16x32bx2 begins at an address of
// its own.
constexpr TensorCell transfer_cell(TransferShape shape, int t, int i) {
  switch (shape) {
    case TransferShape::l32x32b:
      return {t, i};
    case TransferShape::l16x64b:
      return {t / 4 + 8 * (t % 2), 2 * i + t / 2 % 2};
    case TransferShape::l16x128b:
      return {t / 4 + 8 * (i % 2), 4 * (i / 2) + t % 4};
    case TransferShape::l16x256b:
      return {t / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (t % 4) + i % 2};
    case TransferShape::l16x32bx2:
      return {t % 16, i};
  }
  return {};
}

// Columns from the address on that registers reach.
constexpr int columns_of(TransferShape shape, int count) {
  return shape == TransferShape::l16x64b    ? 2 * count
         : shape == TransferShape::l16x128b ? 4 * count
         : shape == TransferShape::l16x256b ? 8 * count
                                            : count;
}

static_assert(transfer_cell(TransferShape::l16x64b, 7, 3).lane == 9 &&
              transfer_cell(TransferShape::l16x64b, 7, 3).column == 7);
static_assert(transfer_cell(TransferShape::l16x256b, 31, 7).lane == 15 &&
              transfer_cell(TransferShape::l16x256b, 31, 7).column == 15);

}  // namespace aisp::sim
