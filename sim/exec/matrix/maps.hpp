// Which lane holds which element of a matrix operand. Plain constexpr functions: the handlers, the
// tests and the comparison with other statements of the same facts all read them.
#pragma once

namespace aisp::sim {

struct MatrixElement {
  int row = 0, column = 0;
};

// mma.m16n8k*, mma.m8n8k* (except m8n8k4.f16), wgmma (per warp, 16 rows), wmma tiles: element `at`
// of 32-bit register `reg` (or of the 64-bit register, with one element in it), `per_register`
// elements in each. Lanes form eight groups of four: a group is a row, a lane a run of elements.
//
// A: registers alternate between rows 0-7 and 8-15 when there are 16 rows, then step along k.
constexpr MatrixElement mma_a(int lane, int reg, int at, int per_register, int rows = 16) {
  const int halves = rows / 8;
  return {lane / 4 + 8 * (reg % halves),
          lane % 4 * per_register + at + reg / halves * 4 * per_register};
}
// B: row is k, column is n.
constexpr MatrixElement mma_b(int lane, int reg, int at, int per_register) {
  return {lane % 4 * per_register + at + reg * 4 * per_register, lane / 4};
}
// C and D: element `index` of the lane, two of a row next to each other; columns beyond 8 follow in
// blocks of four elements per 8 columns (wgmma, wmma).
constexpr MatrixElement mma_c(int lane, int index, int rows = 16) {
  const int per_tile = rows / 4;  // elements of one 8-column tile
  return {lane / 4 + 8 * (index % per_tile / 2), index / per_tile * 8 + 2 * (lane % 4) + index % 2};
}

// mma.m8n8k4 on f16 does four products at once, one per quad pair: lanes 4p..4p+3 and 16+4p..19+4p.
constexpr int quad_pair(int lane) { return lane / 4 % 4; }
constexpr int quad_pair_row(int lane) { return lane % 4 + (lane < 16 ? 0 : 4); }
constexpr MatrixElement quad_a(int lane, int at, bool row_major) {
  if (row_major) return {quad_pair_row(lane), at};
  return {at + (lane < 16 ? 0 : 4), lane % 4};
}
constexpr MatrixElement quad_b(int lane, int at, bool row_major) {
  if (!row_major) return {at, quad_pair_row(lane)};
  return {lane % 4, at + (lane < 16 ? 0 : 4)};
}
constexpr MatrixElement quad_c(int lane, int index, bool is_f16) {
  if (is_f16) return {quad_pair_row(lane), index};
  return {(lane & 1) + (index & 2) + (lane < 16 ? 0 : 4), (index & 4) + (lane & 2) + (index & 1)};
}

// wmma fragments as sm_80 and later lay them out: tiles of the mma maps, in registers one behind
// the other. m8n32k16 is the transposed product: B stands where A does and C is transposed. f16
// operands fill eight registers whatever they need: the registers repeat. Register `reg`, element
// `at` of it.
struct WmmaShape {
  int m = 0, n = 0, k = 0;
  constexpr bool transposed() const { return n == 32; }
};
constexpr MatrixElement wmma_tiles_of_rows(int rows, int k, int lane, int reg, int at,
                                           int per_register) {
  const int tile_rows = rows < 16 ? rows : 16;
  const int tile_registers = tile_rows * k / (32 * per_register);
  const int tile = reg % (rows * k / (32 * per_register)) / tile_registers;
  const MatrixElement inside = mma_a(lane, reg % tile_registers, at, per_register, tile_rows);
  return {16 * tile + inside.row, inside.column};
}
constexpr MatrixElement wmma_a(WmmaShape shape, int lane, int reg, int at, int per_register) {
  return wmma_tiles_of_rows(shape.m, shape.k, lane, reg, at, per_register);
}
constexpr MatrixElement wmma_b(WmmaShape shape, int lane, int reg, int at, int per_register) {
  if (shape.transposed()) {
    const MatrixElement place = wmma_tiles_of_rows(shape.n, shape.k, lane, reg, at, per_register);
    return {place.column, place.row};
  }
  const int tile_registers = 8 * shape.k / (32 * per_register);
  const int tile = reg % (shape.n * shape.k / (32 * per_register)) / tile_registers;
  const MatrixElement inside = mma_b(lane, reg % tile_registers, at, per_register);
  return {inside.row, 8 * tile + inside.column};
}
// Element `index` of the lane's accumulators.
constexpr MatrixElement wmma_c(WmmaShape shape, int lane, int index) {
  if (shape.transposed()) {
    const MatrixElement place = mma_c(lane, index % 4);
    return {place.column, 16 * (index / 4) + place.row};
  }
  if (shape.m == 32) {
    const MatrixElement place = mma_c(lane, index % 4);
    return {16 * (index / 4) + place.row, place.column};
  }
  return mma_c(lane, index, shape.m);
}

// ldmatrix, stmatrix, movmatrix: half `at` of a lane's register in an 8x8 matrix of 16-bit
// elements.
constexpr MatrixElement eight_by_eight(int lane, int at, bool transposed) {
  const MatrixElement plain{lane / 4, 2 * (lane % 4) + at};
  return transposed ? MatrixElement{plain.column, plain.row} : plain;
}

static_assert(mma_a(5, 3, 1, 2).row == 9 && mma_a(5, 3, 1, 2).column == 11);
static_assert(mma_c(31, 3).row == 15 && mma_c(31, 3).column == 7);
static_assert(mma_c(0, 4).column == 8, "the second tile of 8 columns");

}  // namespace aisp::sim
