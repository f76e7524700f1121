#include "sim/exec/matrix/tcgen05/product.hpp"

#include <algorithm>

#include "sim/exec/matrix/product/product.hpp"
#include "sim/exec/matrix/sparse.hpp"
#include "sim/exec/matrix/tcgen05/operands.hpp"
#include "sim/exec/matrix/tcgen05/scales.hpp"
#include "sim/exec/matrix/tcgen05/zero_columns.hpp"

namespace aisp::sim {
namespace {

// Operands of one instruction; too large for the stack of a thread.
struct Scratch {
  alignas(32) std::uint32_t a[max_matrix_a], b[max_block_matrix_b], c[max_matrix_rows * 256];
  std::uint8_t index[max_matrix_a];
};
// Not inlined: in a shared library each use of such a variable's address may become a call.
[[gnu::noinline]] Scratch& scratch() {
  thread_local Scratch work;
  return work;
}

constexpr std::uint32_t a_columns = 8, nan_result = 0x7fffffffu;

// Where the sign of an element is.
std::uint32_t sign_of(Type type) {
  switch (type) {
    case Type::tf32:
      return 1u << 31;
    case Type::f16:
    case Type::bf16:
      return 1u << 15;
    case Type::e2m3:
    case Type::e3m2:
      return 1u << 5;
    case Type::e2m1:
      return 1u << 3;
    default:
      return 1u << 7;
  }
}

void negate(std::uint32_t* codes, int count, Type type) {
  const std::uint32_t sign = sign_of(type);
  for (int i = 0; i < count; ++i) codes[i] ^= sign;
}

FloatRule rule_of(const DeviceModel::TensorRule& rule, MmaKind kind) {
  if (kind == MmaKind::f16) return {rule.f16_terms, rule.f16_bits};
  if (kind == MmaKind::tf32) return {rule.tf32_terms, rule.tf32_bits};
  return {rule.fp8_terms, rule.fp8_bits};
}

}  // namespace

// B is one matrix, whose columns the blocks of a pair hold one half each of.
void TensorProduct::read_b() const {
  Scratch& work = scratch();
  const TensorDescriptor from = TensorDescriptor::of(b_descriptor);
  const int columns = shape.n / blocks.count;
  for (int i = 0; i < blocks.count; ++i)
    read_shared_matrix(*blocks.at[i], from, shape.b, fours(), shape.b_mn_major,
                       {.to = work.b + i * columns,
                        .mn_step = 1,
                        .k_step = shape.n,
                        .count = columns,
                        .k = shape.k});
  if (shape.negate_b) negate(work.b, shape.k * shape.n, shape.b);
  if (zero_columns == 0) return;
  const ZeroColumns zero(zero_columns, shape.m, shape.n);
  for (int column = 0; column < shape.n; ++column)
    if (zero[column])
      for (int k = 0; k < shape.k; ++k) work.b[k * shape.n + column] = 0;
}

void TensorProduct::read_a(Block& block, int piece) const {
  Scratch& work = scratch();
  const int k = shape.stored_k(form.sparse), rows = layout().rows;
  if (form.a_in_tensor_memory) {
    require_columns(block.tensor, a.column, a_columns, "tcgen05.mma: A");
    // Where two halves of the accumulator lie below each other, each reads the copy beside it.
    for (int row = 0; row < rows; ++row)
      read_tensor_row(*block.tensor.memory, static_cast<int>(a.lane) + layout().lane(row, piece),
                      a.column, shape.a, fours(), work.a + row * k);
  } else {
    read_shared_matrix(block, TensorDescriptor::of(a_descriptor), shape.a, fours(),
                       shape.a_mn_major,
                       {.to = work.a, .mn_step = k, .k_step = 1, .count = rows, .k = k});
  }
  if (shape.negate_a) negate(work.a, rows * k, shape.a);
}

// A nibble of metadata describes four elements along k; of tf32 two, of kind::mxf4 and mxf4nvf4
// four pairs. Where the accumulator is in several pieces, each piece reads the copy beside it.
void TensorProduct::read_index(Block& block, int piece) const {
  Scratch& work = scratch();
  const MetadataLayout metadata_of = metadata_layout();
  const std::uint32_t column = metadata.column + static_cast<std::uint32_t>(shape.selector);
  require_columns(block.tensor, column, static_cast<std::uint32_t>(metadata_of.columns()),
                  "tcgen05.mma: metadata");
  const Type groups = fours() ? Type::u4 : shape.a;
  const int stored = shape.k / 2;
  for (int row = 0; row < layout().rows; ++row)
    for (int at = 0; at < stored; ++at) {
      const auto [lane, offset, bit] =
          metadata_of.place(layout().lane(row, piece), nibble_of(groups, at));
      const std::uint32_t* cells =
          block.tensor.memory->row(metadata.lane + static_cast<std::uint32_t>(lane));
      const auto nibble =
          static_cast<int>(cells[column + static_cast<std::uint32_t>(offset)] >> bit & 15);
      work.index[row * stored + at] = static_cast<std::uint8_t>(sparse_row(groups, at, nibble));
    }
}

const std::uint8_t* TensorProduct::index_of(int first) const {
  return form.sparse ? scratch().index + first * shape.stored_k(true) : nullptr;
}

void TensorProduct::read_accumulators(Block& block) const {
  Scratch& work = scratch();
  const AccumulatorLayout lanes_of = layout();
  const int columns = shape.n / lanes_of.pieces;
  require_columns(block.tensor, d.column, static_cast<std::uint32_t>(columns), "tcgen05.mma: D");
  if (!accumulate) {
    std::fill_n(work.c, lanes_of.rows * shape.n, 0u);
    return;
  }
  const std::uint32_t mask = shape.d == Type::f16 ? 0xffffu : ~0u;
  for (int row = 0; row < lanes_of.rows; ++row)
    for (int piece = 0; piece < lanes_of.pieces; ++piece) {
      const auto lane = d.lane + static_cast<std::uint32_t>(lanes_of.lane(row, piece));
      const std::uint32_t* from = block.tensor.memory->row(lane) + d.column;
      std::uint32_t* to = work.c + row * shape.n + piece * columns;
      for (int i = 0; i < columns; ++i) to[i] = from[i] & mask;
    }
}

void TensorProduct::write_accumulators(Block& block, int number, int piece) const {
  const Scratch& work = scratch();
  const AccumulatorLayout lanes_of = layout();
  const int columns = shape.n / lanes_of.pieces;
  for (int row = 0; row < lanes_of.rows; ++row) {
    const auto lane = d.lane + static_cast<std::uint32_t>(lanes_of.lane(row, piece));
    if ((disabled[static_cast<std::size_t>(number) * 4 + lane / 32] >> lane % 32 & 1) != 0)
      continue;
    std::copy_n(work.c + row * shape.n + piece * columns, columns,
                block.tensor.memory->row(lane) + d.column);
  }
}

// The scales of B as the quarters see them are mostly the same: one product then serves all.
void TensorProduct::multiply_powers(Block& block) const {
  Scratch& work = scratch();
  std::int32_t rows[max_matrix_rows], columns[quarters][256];
  bool row_nan[max_matrix_rows] = {}, column_nan[quarters][256] = {};
  bool same = true;
  for (int q = 0; q < quarters; ++q) {
    const auto a_codes =
        read_scales(block, a_scales, q, q * quarter_rows, quarter_rows, shape.a_scale, 1);
    for (int i = 0; i < quarter_rows; ++i) {
      const std::uint8_t code = a_codes[static_cast<std::size_t>(i)];
      rows[q * quarter_rows + i] = block_scale(code, true).exponent;
      row_nan[q * quarter_rows + i] = is_nan_scale(code, true);
    }
    const auto b_codes = read_scales(block, b_scales, q, 0, shape.n, shape.b_scale, 1);
    for (int i = 0; i < shape.n; ++i) {
      const std::uint8_t code = b_codes[static_cast<std::size_t>(i)];
      columns[q][i] = block_scale(code, true).exponent;
      column_nan[q][i] = is_nan_scale(code, true);
      same = same && columns[q][i] == columns[0][i];
    }
  }
  const int at_once = same ? max_matrix_rows : quarter_rows, stored = shape.stored_k(form.sparse);
  for (int row = 0; row < max_matrix_rows; row += at_once)
    multiply_floats({.m = at_once,
                     .n = shape.n,
                     .products = stored,
                     .k = shape.k,
                     .a = work.a + row * stored,
                     .b = work.b,
                     .index = index_of(row),
                     .c = work.c + row * shape.n,
                     .row_scales = rows + row,
                     .column_scales = columns[row / quarter_rows]},
                    shape.a, shape.b, shape.d, rule_of(block.grid->device->tensor, form.kind));
  for (int row = 0; row < max_matrix_rows; ++row)
    for (int column = 0; column < shape.n; ++column)
      if (row_nan[row] || column_nan[row / quarter_rows][column])
        work.c[row * shape.n + column] = nan_result;
}

void TensorProduct::multiply_fours(Block& block) const {
  Scratch& work = scratch();
  constexpr int block_elements = 16, groups = 4;
  const int count = form.scale_vector, repeat = groups / count;
  const int stored = shape.stored_k(form.sparse);
  static_assert(groups * block_elements == 64);  // stored elements of a row of A
  thread_local BlockScale b[groups * 256];
  BlockScale a[quarter_rows * groups];
  for (int q = 0; q < quarters; ++q) {
    const auto a_codes =
        read_scales(block, a_scales, q, q * quarter_rows, quarter_rows, shape.a_scale, count);
    const auto b_codes = read_scales(block, b_scales, q, 0, shape.n, shape.b_scale, count);
    const auto a_code = [&](int row, int group) {
      return a_codes[static_cast<std::size_t>(row * count + group / repeat)];
    };
    const auto b_code = [&](int column, int group) {
      return b_codes[static_cast<std::size_t>(column * count + group / repeat)];
    };
    const bool power = shape.scales_are_powers;
    for (int group = 0; group < groups; ++group) {
      for (int row = 0; row < quarter_rows; ++row)
        a[row * groups + group] = block_scale(a_code(row, group), power);
      for (int column = 0; column < shape.n; ++column)
        b[group * shape.n + column] = block_scale(b_code(column, group), power);
    }
    const int first = q * quarter_rows;
    multiply_blocks({.m = quarter_rows,
                     .n = shape.n,
                     .products = stored,
                     .k = shape.k,
                     .a = work.a + first * stored,
                     .b = work.b,
                     .index = index_of(first),
                     .c = work.c + first * shape.n},
                    a, b, block.grid->device->tensor.fp4_bits);
    for (int group = 0; group < groups; ++group) {
      for (int row = 0; row < quarter_rows; ++row)
        if (is_nan_scale(a_code(row, group), power))
          std::fill_n(work.c + (first + row) * shape.n, shape.n, nan_result);
      for (int column = 0; column < shape.n; ++column)
        if (is_nan_scale(b_code(column, group), power))
          for (int row = first; row < first + quarter_rows; ++row)
            work.c[row * shape.n + column] = nan_result;
    }
  }
}

void TensorProduct::multiply(Block& block) const {
  if (form.kind == MmaKind::mxf8f6f4) return multiply_powers(block);
  if (fours()) return multiply_fours(block);
  Scratch& work = scratch();
  const MatrixProduct product{.m = layout().rows,
                              .n = shape.n,
                              .products = shape.stored_k(form.sparse),
                              .k = shape.k,
                              .a = work.a,
                              .b = work.b,
                              .index = index_of(0),
                              .c = work.c,
                              .c_scale = -form.scale_d};
  if (form.kind == MmaKind::i8)
    multiply_integers(product, shape.a, shape.b, shape.saturate);
  else
    multiply_floats(product, shape.a, shape.b, shape.d,
                    rule_of(block.grid->device->tensor, form.kind));
}

void TensorProduct::run_block(Block& block, int number) const {
  const int pieces = layout().pieces;
  const int passes = form.a_in_tensor_memory || form.sparse ? pieces : 1;
  for (int pass = 0; pass < passes; ++pass) {
    read_a(block, pass);
    if (form.sparse) read_index(block, pass);
    read_accumulators(block);
    multiply(block);
    for (int piece = 0; piece < pieces; ++piece)
      if (passes == 1 || piece == pass) write_accumulators(block, number, piece);
  }
  // After the multiplication, as others read the manual.
  if (form.shifts_a) shift_down(block, a.column);
}

void TensorProduct::operator()() const {
  read_b();
  for (int i = 0; i < blocks.count; ++i) run_block(*blocks.at[i], i);
}

}  // namespace aisp::sim
