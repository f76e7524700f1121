// ldmatrix, stmatrix and movmatrix: 8x8 matrices of 16-bit elements, and larger ones of bytes,
// between rows of shared memory, or lanes, and the lane map of mma.
#include <algorithm>
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/matrix/maps.hpp"
#include "sim/exec/matrix/modifiers.hpp"
#include "sim/exec/memory/access.hpp"
#include "sim/exec/opcodes.hpp"
#include "sim/machine/collective.hpp"

namespace aisp::sim {
namespace {

using base::say;

constexpr int side = 8, row_bytes = 16, max_matrices = 4;

using Halves = std::uint16_t[max_matrices][side][side];

Mask address_lanes(const Op& op) {
  const int count = form_of<AddressForm>(op).count * side;
  return count == lanes ? all_lanes : (Mask{1} << count) - 1;
}

Flow run_ldmatrix(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  const Mask readers = address_lanes(op) & mask;
  std::byte* rows[lanes] = {};
  locate(warp, op, readers, row_bytes, Access::read, rows);
  Halves halves = {};
  for (Mask left = readers; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::memcpy(halves[lane / side][lane % side], rows[lane], row_bytes);
  }
  const Ref* refs = warp.list(op);
  const auto form = form_of<AddressForm>(op);
  for (int matrix = 0; matrix < form.count; ++matrix) {
    if (refs[matrix] == no_ref) continue;
    auto* words = warp.write<std::uint32_t>(refs[matrix]);
    for (Mask left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const auto half = [&](int at) -> std::uint32_t {
        const MatrixElement place = eight_by_eight(lane, at, form.transposed);
        return halves[matrix][place.row][place.column];
      };
      words[lane] = half(0) | half(1) << 16;
    }
  }
  return Flow::next;
}

Flow run_stmatrix(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  Halves halves = {};
  const Ref* refs = warp.list(op);
  const auto form = form_of<AddressForm>(op);
  for (int matrix = 0; matrix < form.count; ++matrix) {
    const auto* words = warp.read<std::uint32_t>(refs[matrix]);
    for (int lane = 0; lane < lanes; ++lane) {
      for (int at = 0; at < 2; ++at) {
        const MatrixElement place = eight_by_eight(lane, at, form.transposed);
        halves[matrix][place.row][place.column] =
            static_cast<std::uint16_t>(words[lane] >> 16 * at);
      }
    }
  }
  const Mask writers = address_lanes(op) & mask;
  std::byte* rows[lanes] = {};
  locate(warp, op, writers, row_bytes, Access::write, rows);
  for (Mask left = writers; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::memcpy(rows[lane], halves[lane / side][lane % side], row_bytes);
  }
  return wrote(warp);
}

// ---- Bytes. A row is 16 bytes of shared memory in all shapes: as many elements, or as many that
// are packed and padded. Each lane that names an address names a row.

using Rows = std::uint8_t[lanes][row_bytes];

// m8n16 and, transposed, m16n16: what lane `lane` holds in byte `at` of register `reg`.
constexpr MatrixElement loaded_byte(int lane, int reg, int at, bool square) {
  const int group = lane / 4, run = lane % 4 * 4 + at;
  if (square) return {reg / 2 * 16 + run, group + reg % 2 * 8};
  return {reg * side + group, run};
}

template <Packed packed, bool square>
Flow run_load_bytes(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  const auto form = form_of<AddressForm>(op);
  const int named = form.count * (square ? 16 : side);
  const Mask readers = mask & (named == lanes ? all_lanes : (Mask{1} << named) - 1);
  std::byte* at[lanes] = {};
  locate(warp, op, readers, row_bytes, Access::read, at);
  Rows rows = {};
  for (Mask left = readers; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint8_t bytes[row_bytes];
    std::memcpy(bytes, at[lane], row_bytes);
    // Elements of 4 bits lie in the low ones of their byte here, unlike in tensor memory.
    for (int i = 0; i < row_bytes; ++i)
      rows[lane][i] = packed == Packed::none
                          ? bytes[i]
                          : static_cast<std::uint8_t>(packed_element(packed, bytes, i));
  }
  const Ref* refs = warp.list(op);
  for (int reg = 0; reg < form.count * (square ? 2 : 1); ++reg) {
    if (refs[reg] == no_ref) continue;
    auto* words = warp.write<std::uint32_t>(refs[reg]);
    for (Mask left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      std::uint32_t word = 0;
      for (int i = 0; i < 4; ++i) {
        const MatrixElement place = loaded_byte(lane, reg, i, square);
        word |= std::uint32_t{rows[place.row][place.column]} << 8 * i;
      }
      words[lane] = word;
    }
  }
  return Flow::next;
}

// m16n8, transposed: each column of 16 bytes becomes a row. The lanes hold it as they hold the
// result of a product.
Flow run_store_bytes(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  Rows rows = {};
  const Ref* refs = warp.list(op);
  for (int matrix = 0; matrix < form_of<AddressForm>(op).count; ++matrix) {
    const auto* words = warp.read<std::uint32_t>(refs[matrix]);
    for (int lane = 0; lane < lanes; ++lane)
      for (int i = 0; i < 4; ++i) {
        const MatrixElement place = mma_c(lane, i);
        rows[matrix * side + place.column][place.row] =
            static_cast<std::uint8_t>(words[lane] >> 8 * i);
      }
  }
  const Mask writers = address_lanes(op) & mask;
  std::byte* at[lanes] = {};
  locate(warp, op, writers, row_bytes, Access::write, at);
  for (Mask left = writers; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::memcpy(at[lane], rows[lane], row_bytes);
  }
  return wrote(warp);
}

Flow run_movmatrix(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  std::uint32_t halves[side][side];
  const auto* from = warp.read<std::uint32_t>(op.a);
  for (int lane = 0; lane < lanes; ++lane) {
    for (int at = 0; at < 2; ++at) {
      const MatrixElement place = eight_by_eight(lane, at, false);
      halves[place.row][place.column] = from[lane] >> 16 * at & 0xffffu;
    }
  }
  auto* to = warp.write<std::uint32_t>(op.dst);
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const MatrixElement first = eight_by_eight(lane, 0, true);
    const MatrixElement second = eight_by_eight(lane, 1, true);
    to[lane] = halves[first.row][first.column] | halves[second.row][second.column] << 16;
  }
  return Flow::next;
}

void expect_eight_by_eight(const Binding& b, const MatrixModifiers& modifiers) {
  if (modifiers.m == 0) b.refuse("the shape is missing: .m8n8");
  if (modifiers.m != side || modifiers.n != side || modifiers.k != 0)
    b.refuse(say("there is no shape m", modifiers.m, "n", modifiers.n, " here"));
  if (modifiers.bytes || modifiers.types != std::vector{Type::b16})
    b.refuse("the type of .m8n8 is .b16");
}

bool is_shape(const MatrixModifiers& modifiers, int m, int n) {
  return modifiers.m == m && modifiers.n == n && modifiers.k == 0;
}

// The destination's format comes before the source's; other modifiers may be between them.
void check_formats(const Binding& b, const MatrixModifiers& modifiers) {
  if (modifiers.unpacks != (modifiers.packed != Packed::none))
    b.refuse(".b8x16 goes with .b4x16_p64 or .b6x16_p32");
  const auto& words = b.instruction().modifiers;
  const auto destination = std::find(words.begin(), words.end(), "b8x16");
  const auto is_source = [](const auto& word) {
    return word.starts_with("b4x16") || word.starts_with("b6x16");
  };
  if (destination != words.end() && std::any_of(words.begin(), destination, is_source))
    b.refuse(".b8x16 comes before the format of the source");
}

Handler load_of_bytes(const MatrixModifiers& modifiers) {
  const bool square = modifiers.m == 16;
  switch (modifiers.packed) {
    case Packed::b4x16_p64:
      return square ? run_load_bytes<Packed::b4x16_p64, true>
                    : run_load_bytes<Packed::b4x16_p64, false>;
    case Packed::b6x16_p32:
      return square ? run_load_bytes<Packed::b6x16_p32, true>
                    : run_load_bytes<Packed::b6x16_p32, false>;
    case Packed::none:
      break;
  }
  return run_load_bytes<Packed::none, true>;
}

// Whether it is one of the shapes of bytes, which are then checked.
bool is_of_bytes(const Binding& b, const MatrixModifiers& modifiers, bool loads) {
  const bool square = loads && is_shape(modifiers, 16, 16);
  if (!square && !is_shape(modifiers, loads ? 8 : 16, loads ? 16 : 8)) return false;
  b.require(sm_100a, "a matrix of bytes");
  if (!modifiers.bytes || !modifiers.types.empty()) b.refuse("the type of this shape is .b8");
  check_formats(b, modifiers);
  if (loads && !square && !modifiers.unpacks)
    b.refuse(".m8n16 goes with .b8x16 and a packed format");
  if (!loads && modifiers.unpacks) b.refuse("a store does not pack");
  const bool turns = square || !loads;
  if (modifiers.transposed != turns)
    b.refuse(turns ? "'.trans' is missing" : "'.trans' is not for .m8n16");
  if (square && modifiers.count == 4) b.refuse(".m16n16 has .x1 and .x2");
  return true;
}

void bind_moved_matrices(Binding& b, int address, int registers, Use use) {
  const bool loads = use == Use::write;
  const MatrixModifiers modifiers = matrix_modifiers(b, true);
  const bool of_bytes = is_of_bytes(b, modifiers, loads);
  if (!of_bytes) expect_eight_by_eight(b, modifiers);
  if (modifiers.count == 0) b.refuse("the number of matrices is missing: .x1, .x2 or .x4");
  if (modifiers.space == ptx::Space::global) b.refuse("matrices are in shared memory");
  b.expect_operands(2, 2);
  AddressForm form = bind_address(b, b.operand(address), modifiers.space, false);
  form.count = modifiers.count;
  form.transposed = modifiers.transposed;
  set_form(b.op, form);
  const int each = loads && is_shape(modifiers, 16, 16) ? 2 : 1;
  list_registers(b, registers, modifiers.count * each, Type::b32, use);
  if (loads)
    b.op.run = of_bytes ? load_of_bytes(modifiers) : run_ldmatrix;
  else
    b.op.run = of_bytes ? run_store_bytes : run_stmatrix;
}

void bind_ldmatrix(Binding& b) { bind_moved_matrices(b, 1, 0, Use::write); }
void bind_stmatrix(Binding& b) { bind_moved_matrices(b, 0, 1, Use::read); }

void bind_movmatrix(Binding& b) {
  const MatrixModifiers modifiers = matrix_modifiers(b);
  expect_eight_by_eight(b, modifiers);
  if (!modifiers.transposed) b.refuse("'.trans' is missing");
  b.expect_operands(2, 2);
  b.op.dst = b.write(0, Type::b32);
  b.op.a = b.read(1, Type::b32);
  b.op.run = run_movmatrix;
}

constexpr OpcodeRow rows[] = {
    {"ldmatrix", OpClass::load, bind_ldmatrix,
     ".sync.aligned.m8n8.{x1,x2,x4}{.trans}{.shared{::cta}}.b16, "
     ".m16n16.{x1,x2}.trans.{b8,b8x16.{b4x16_p64,b6x16_p32}}, "
     ".m8n16.{x1,x2,x4}.b8x16.{b4x16_p64,b6x16_p32}"},
    {"stmatrix", OpClass::store, bind_stmatrix,
     ".sync.aligned.m8n8.{x1,x2,x4}{.trans}{.shared{::cta}}.b16, .m16n8.{x1,x2,x4}.trans.b8",
     sm_90},
    {"movmatrix", OpClass::shuffle, bind_movmatrix, ".sync.aligned.m8n8.trans.b16"},
};

}  // namespace

std::span<const OpcodeRow> matrix_rows() { return rows; }

}  // namespace aisp::sim
