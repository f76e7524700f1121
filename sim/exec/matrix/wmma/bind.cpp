// Binding of wmma.load, wmma.store and wmma.mma, and their rows.
#include <algorithm>
#include <array>

#include "base/refuse.hpp"
#include "sim/exec/matrix/modifiers.hpp"
#include "sim/exec/matrix/registers.hpp"
#include "sim/exec/matrix/wmma/form.hpp"
#include "sim/exec/memory/access.hpp"
#include "sim/exec/opcodes.hpp"

namespace aisp::sim {
namespace {

using base::say;

constexpr Type sixteens[] = {Type::f16, Type::bf16, Type::s8, Type::u8};
constexpr Type accumulators[] = {Type::f16, Type::f32, Type::s32};
constexpr Type tf32[] = {Type::tf32}, f32[] = {Type::f32}, f64[] = {Type::f64};
constexpr Type nibbles[] = {Type::s4, Type::u4}, bits[] = {Type::b1}, s32[] = {Type::s32};

constexpr WmmaShapeRow shapes[] = {
    {{16, 16, 16}, sixteens, accumulators},
    {{8, 32, 16}, sixteens, accumulators},
    {{32, 8, 16}, sixteens, accumulators},
    {{16, 16, 8}, tf32, f32},
    {{8, 8, 4}, f64, f64},
    {{8, 8, 32}, nibbles, s32},
    {{8, 8, 128}, bits, s32},
};

std::uint8_t find_shape(const Binding& b, const MatrixModifiers& modifiers) {
  for (std::size_t i = 0; i < std::size(shapes); ++i) {
    const WmmaShape& shape = shapes[i].shape;
    if (shape.m == modifiers.m && shape.n == modifiers.n && shape.k == modifiers.k)
      return static_cast<std::uint8_t>(i);
  }
  b.refuse(say("wmma has no shape m", modifiers.m, "n", modifiers.n, "k", modifiers.k));
}

bool among(std::span<const Type> types, Type type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

void check_layout(const Binding& b, WmmaRole role, Type type, bool row_major) {
  if (register_bits(type) < 8 && role != WmmaRole::accumulator &&
      row_major != (role == WmmaRole::a))
    b.refuse(
        say("matrix ", role == WmmaRole::a ? "A of this type is .row" : "B of this type is .col"));
}

void bind_transfer(Binding& b, bool is_load) {
  const MatrixModifiers modifiers = matrix_modifiers(b);
  if (modifiers.role == 0 || (modifiers.role == 'd') == is_load)
    b.refuse(is_load ? "wmma.load loads .a, .b or .c" : "wmma.store stores .d");
  if (modifiers.row_major.size() != 1) b.refuse("one layout is expected: .row or .col");
  if (modifiers.types.size() != 1) b.refuse("one type is expected");
  WmmaTransfer transfer;
  transfer.shape = find_shape(b, modifiers);
  transfer.role = modifiers.role == 'a'   ? WmmaRole::a
                  : modifiers.role == 'b' ? WmmaRole::b
                                          : WmmaRole::accumulator;
  transfer.row_major = modifiers.row_major[0];
  transfer.type = modifiers.types[0];
  const WmmaShapeRow& row = shapes[transfer.shape];
  if (!among(transfer.role == WmmaRole::accumulator ? row.accumulators : row.inputs, transfer.type))
    b.refuse(say("matrix ", modifiers.role, " of this shape cannot be .", name_of(transfer.type)));
  check_layout(b, transfer.role, transfer.type, transfer.row_major);
  b.expect_operands(2, 3);
  const int address = is_load ? 1 : 0, registers = is_load ? 0 : 1;
  const AddressForm at = bind_address(b, b.operand(address), modifiers.space, false);
  transfer.where = at.where;
  transfer.wide = at.wide;
  transfer.offset = at.offset;
  set_form(b.op, transfer);
  list_registers(b, registers, wmma_registers(row.shape, transfer.role, transfer.type),
                 register_type(transfer.type), is_load ? Use::write : Use::read);
  if (b.operands() == 3) b.op.b = b.read(2, Type::u32);
  b.op.run = is_load ? run_wmma_load : run_wmma_store;
}

// Two types name D and C of f16 operands, four name D, A, B and C.
WmmaForm mma_form(const Binding& b, const MatrixModifiers& modifiers) {
  const std::vector<Type>& types = modifiers.types;
  WmmaForm form;
  if (types.size() == 2) {
    form.a = form.b = Type::f16;
  } else if (types.size() == 4) {
    form.a = types[1];
    form.b = types[2];
    if (form.a == Type::f16) b.refuse("with .f16 operands only the types of D and C are named");
  } else {
    b.refuse("two types are expected, of D and C, or four");
  }
  form.d = types.front();
  form.c = types.back();
  form.shape = find_shape(b, modifiers);
  form.saturate = modifiers.saturate;
  form.exclusive_or = modifiers.bits == BitOperation::exclusive_or;
  form.round = modifiers.round;
  return form;
}

void check(const Binding& b, const MatrixModifiers& modifiers, const WmmaForm& form) {
  const WmmaShapeRow& row = shapes[form.shape];
  const auto wanted = [&](Type type) {
    if (form.a == Type::f16) return type == Type::f16 || type == Type::f32;
    if (form.a == Type::bf16 || form.a == Type::tf32) return type == Type::f32;
    return type == (form.a == Type::f64 ? Type::f64 : Type::s32);
  };
  if (form.a != form.b || !among(row.inputs, form.a) || !wanted(form.d) || !wanted(form.c))
    b.refuse("this shape has no product of these types");
  if (form.saturate && !is_integer(form.a)) b.refuse("'.satfinite' is for integers");
  if ((modifiers.bits != BitOperation::none) != (form.a == Type::b1))
    b.refuse("'.xor.popc' or '.and.popc' goes with .b1");
  if (modifiers.rounds && form.a != Type::f64) b.refuse("a rounding mode is for .f64");
  check_layout(b, WmmaRole::a, form.a, modifiers.row_major[0]);
  check_layout(b, WmmaRole::b, form.b, modifiers.row_major[1]);
}

}  // namespace

std::span<const WmmaShapeRow> wmma_shapes() { return shapes; }

int wmma_registers(WmmaShape shape, WmmaRole role, Type type) {
  if (role != WmmaRole::accumulator && type == Type::f16) return 8;
  return register_count(role == WmmaRole::b ? shape.n : shape.m,
                        role == WmmaRole::accumulator ? shape.n : shape.k, type);
}

namespace {

void bind_wmma_load(Binding& b) { bind_transfer(b, true); }
void bind_wmma_store(Binding& b) { bind_transfer(b, false); }

void bind_wmma_mma(Binding& b) {
  const MatrixModifiers modifiers = matrix_modifiers(b);
  if (modifiers.row_major.size() != 2) b.refuse("two layouts are expected, of A and B");
  const WmmaForm form = mma_form(b, modifiers);
  check(b, modifiers, form);
  const WmmaShape shape = shapes[form.shape].shape;
  b.expect_operands(4, 4);
  const auto bind = [&](int operand, WmmaRole role, Type type, Use use) {
    list_registers(b, operand, wmma_registers(shape, role, type), register_type(type), use);
  };
  bind(0, WmmaRole::accumulator, form.d, Use::write);
  bind(1, WmmaRole::a, form.a, Use::read);
  bind(2, WmmaRole::b, form.b, Use::read);
  bind(3, WmmaRole::accumulator, form.c, Use::read);
  set_form(b.op, form);
  b.op.run = run_wmma_mma;
}

constexpr OpcodeRow rows[] = {
    {"wmma.load", OpClass::load, bind_wmma_load,
     ".{a,b,c}.sync.aligned in all layouts, shapes and types; generic, .global, .shared"},
    {"wmma.store", OpClass::store, bind_wmma_store,
     ".d.sync.aligned in all layouts, shapes and types; generic, .global, .shared"},
    {"wmma.mma", OpClass::tensor, bind_wmma_mma,
     ".sync.aligned in all layouts, shapes and types; .satfinite; .xor.popc, .and.popc"},
};

}  // namespace

std::span<const OpcodeRow> wmma_rows() { return rows; }

}  // namespace aisp::sim
