// ldmatrix, stmatrix and movmatrix: 8x8 matrices of 16-bit elements between rows of shared memory,
// or lanes, and the lane map of mma.
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
    b.refuse(say("shape m", modifiers.m, "n", modifiers.n, " is of sm_100 and later: .m8n8"));
  if (modifiers.types != std::vector{Type::b16}) b.refuse("the type of .m8n8 is .b16");
}

void bind_moved_matrices(Binding& b, int address, int registers, Use use) {
  const MatrixModifiers modifiers = matrix_modifiers(b);
  expect_eight_by_eight(b, modifiers);
  if (modifiers.count == 0) b.refuse("the number of matrices is missing: .x1, .x2 or .x4");
  if (modifiers.space == ptx::Space::global) b.refuse("matrices are in shared memory");
  b.expect_operands(2, 2);
  AddressForm form = bind_address(b, b.operand(address), modifiers.space, false);
  form.count = modifiers.count;
  form.transposed = modifiers.transposed;
  set_form(b.op, form);
  list_registers(b, registers, modifiers.count, Type::b32, use);
}

void bind_ldmatrix(Binding& b) {
  bind_moved_matrices(b, 1, 0, Use::write);
  b.op.run = run_ldmatrix;
}

void bind_stmatrix(Binding& b) {
  bind_moved_matrices(b, 0, 1, Use::read);
  b.op.run = run_stmatrix;
}

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
     ".sync.aligned.m8n8.{x1,x2,x4}{.trans}{.shared{::cta}}.b16"},
    {"stmatrix", OpClass::store, bind_stmatrix,
     ".sync.aligned.m8n8.{x1,x2,x4}{.trans}{.shared{::cta}}.b16", sm_90},
    {"movmatrix", OpClass::shuffle, bind_movmatrix, ".sync.aligned.m8n8.trans.b16"},
};

}  // namespace

std::span<const OpcodeRow> matrix_rows() { return rows; }

}  // namespace aisp::sim
