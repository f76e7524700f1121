// tcgen05.ld and st: which cell of tensor memory is which register of which lane, as layouts. The
// 16-lane shape of 256 bits is the one of accumulator fragments: four registers of a lane are rows
// r and r + 8, columns c and c + 1, as those of wgmma.
#pragma once

#include "tile/arch/tmem_shape.hpp"
#include "tile/atom/cell.hpp"
#include "tile/layout/layout.hpp"

namespace aisp::tile {

using arch::TmemShape;

template <TmemShape shape_, int repeats_>
struct TmemCopy {
  static constexpr TmemShape shape = shape_;
  static constexpr int repeats = repeats_;
  static constexpr int registers = repeats * arch::registers_per_repeat(shape);
  static_assert(repeats >= 1 && (repeats & (repeats - 1)) == 0 && registers <= 128,
                "tcgen05.ld and st repeat their shape a power of two of times, into at most 128 "
                "registers");
  static constexpr int lanes = shape == TmemShape::l32x32b ? 32 : 16;  // of tensor memory
  static constexpr int columns = shape == TmemShape::l32x32b || shape == TmemShape::l16x32bx2
                                     ? repeats
                                 : shape == TmemShape::l16x64b  ? 2 * repeats
                                 : shape == TmemShape::l16x128b ? 4 * repeats
                                                                : 8 * repeats;

  // (lane of the warp, register) -> 512 * lane + column of tensor memory, from the address on.
  static TILE_FN Layout layout() {
    constexpr int down = 512;
    switch (shape) {
      case TmemShape::l32x32b:
        return {Shape{32, registers}, Stride{down, 1}};
      case TmemShape::l16x64b:
        return {Shape{Shape{2, 2, 8}, registers}, Stride{Stride{8 * down, 1, down}, 2}};
      case TmemShape::l16x128b:
        return {Shape{Shape{4, 8}, Shape{2, repeats}},
                Stride{Stride{1, down}, Stride{8 * down, 4}}};
      case TmemShape::l16x256b:
        return {Shape{Shape{4, 8}, Shape{2, 2, repeats}},
                Stride{Stride{2, down}, Stride{1, 8 * down, 8}}};
      default:  // l16x32bx2: the lanes from 16 on, `gap` columns further
        return {Shape{Shape{16, 2}, registers}, Stride{Stride{down, 0}, 1}};
    }
  }
  static TILE_FN Cell cell(int lane, int reg) {
    const int at = layout()(lane, reg);
    return {at / 512, at % 512};
  }
};

// Fragments of an accumulator for the epilogue's tree: 16 rows, 8 columns for each four registers.
template <int fragments>
using FragmentLoad = TmemCopy<TmemShape::l16x256b, fragments>;

// tcgen05.cp: where the rows of a matrix in shared memory go.
struct SharedToTmem {
  int rows = 0, bytes = 0;    // of the source
  int copies = 1, apart = 0;  // lanes that get the same row, and their distance
  bool spread = false;        // rows of four quarters: 32 rows go to lanes 64 apart

  static TILE_FN SharedToTmem of(arch::TmemCopyShape shape) {
    using enum arch::TmemCopyShape;
    switch (shape) {
      case l128x256b:
        return {128, 32};
      case l128x128b:
        return {128, 16};
      case l4x256b:
        return {4, 32};
      case l64x128b_02_13:
        return {64, 16, 2, 64};
      case l64x128b_01_23:
        return {64, 16, 2, 32, true};
      default:
        return {32, 16, 4, 32};
    }
  }
  TILE_FN int columns() const { return bytes / 4; }
  TILE_FN int lane(int row, int copy) const {
    const int first = rows == 4 ? 32 * row : spread ? row % 32 + 64 * (row / 32) : row;
    return first + copy * apart;
  }
};

}  // namespace aisp::tile
