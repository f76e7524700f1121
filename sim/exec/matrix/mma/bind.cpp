// Binding of mma.sync and mma.sp, with which combinations of shape and types there are, and their
// row.
#include "base/refuse.hpp"
#include "sim/exec/matrix/mma/form.hpp"
#include "sim/exec/matrix/mma/run.hpp"
#include "sim/exec/matrix/modifiers.hpp"
#include "sim/exec/matrix/registers.hpp"
#include "sim/exec/matrix/sparse.hpp"
#include "sim/exec/opcodes.hpp"

namespace aisp::sim {
namespace {

using base::say;

enum class Inputs : std::uint8_t { f16, bf16, tf32, f64, bytes, nibbles, bits, fp8, none };

Inputs inputs_of(Type a, Type b) {
  const auto both = [a, b](Type first, Type second) {
    return (a == first || a == second) && (b == first || b == second);
  };
  if (both(Type::s8, Type::u8)) return Inputs::bytes;
  if (both(Type::s4, Type::u4)) return Inputs::nibbles;
  if (both(Type::e4m3, Type::e5m2)) return Inputs::fp8;
  if (a != b) return Inputs::none;
  switch (a) {
    case Type::f16:
      return Inputs::f16;
    case Type::bf16:
      return Inputs::bf16;
    case Type::tf32:
      return Inputs::tf32;
    case Type::f64:
      return Inputs::f64;
    case Type::b1:
      return Inputs::bits;
    default:
      return Inputs::none;
  }
}

struct ShapeRow {
  int m, n, k;
  Inputs inputs;
  bool sparse;
  Needs needs;
};

constexpr ShapeRow shapes[] = {
    {8, 8, 4, Inputs::f16, false, sm_70},       {16, 8, 8, Inputs::f16, false, sm_75},
    {16, 8, 16, Inputs::f16, false, sm_80},     {16, 8, 8, Inputs::bf16, false, sm_80},
    {16, 8, 16, Inputs::bf16, false, sm_80},    {16, 8, 4, Inputs::tf32, false, sm_80},
    {16, 8, 8, Inputs::tf32, false, sm_80},     {8, 8, 4, Inputs::f64, false, sm_80},
    {16, 8, 4, Inputs::f64, false, sm_90},      {16, 8, 8, Inputs::f64, false, sm_90},
    {16, 8, 16, Inputs::f64, false, sm_90},     {8, 8, 16, Inputs::bytes, false, sm_75},
    {16, 8, 16, Inputs::bytes, false, sm_80},   {16, 8, 32, Inputs::bytes, false, sm_80},
    {8, 8, 32, Inputs::nibbles, false, sm_75},  {16, 8, 32, Inputs::nibbles, false, sm_80},
    {16, 8, 64, Inputs::nibbles, false, sm_80}, {8, 8, 128, Inputs::bits, false, sm_75},
    {16, 8, 128, Inputs::bits, false, sm_80},   {16, 8, 256, Inputs::bits, false, sm_80},
    {16, 8, 16, Inputs::fp8, false, sm_89},     {16, 8, 32, Inputs::fp8, false, sm_89},
    {16, 8, 16, Inputs::f16, true, sm_80},      {16, 8, 32, Inputs::f16, true, sm_80},
    {16, 8, 16, Inputs::bf16, true, sm_80},     {16, 8, 32, Inputs::bf16, true, sm_80},
    {16, 8, 8, Inputs::tf32, true, sm_80},      {16, 8, 16, Inputs::tf32, true, sm_80},
    {16, 8, 32, Inputs::bytes, true, sm_80},    {16, 8, 64, Inputs::bytes, true, sm_80},
    {16, 8, 64, Inputs::nibbles, true, sm_80},  {16, 8, 128, Inputs::nibbles, true, sm_80},
    {16, 8, 64, Inputs::fp8, true, sm_89},
};

bool accumulates(const MmaForm& form, Inputs inputs) {
  const bool halves = form.d == Type::f16 && form.c == Type::f16;
  const bool singles = form.d == Type::f32 && form.c == Type::f32;
  switch (inputs) {
    case Inputs::f16:
      return halves || singles || (form.m == 8 && form.d == Type::f32 && form.c == Type::f16);
    case Inputs::fp8:
      return singles || (halves && !form.sparse);
    case Inputs::bf16:
    case Inputs::tf32:
      return singles;
    case Inputs::f64:
      return form.d == Type::f64 && form.c == Type::f64;
    default:
      return form.d == Type::s32 && form.c == Type::s32;
  }
}

void check_shape(const Binding& b, const MmaForm& form, Inputs inputs) {
  for (const ShapeRow& row : shapes) {
    if (row.m != form.m || row.n != form.n || row.k != form.k() || row.inputs != inputs ||
        row.sparse != form.sparse)
      continue;
    return b.require(row.needs, "this shape");
  }
  b.refuse(say("there is no ", form.sparse ? "sparse " : "", "m", int{form.m}, "n", int{form.n},
               "k", form.k(), " for .", name_of(form.a), " and .", name_of(form.b)));
}

void check(const Binding& b, const MatrixModifiers& modifiers, const MmaForm& form) {
  const Inputs inputs = inputs_of(form.a, form.b);
  if (inputs == Inputs::none)
    b.refuse(say("there is no mma of .", name_of(form.a), " and .", name_of(form.b)));
  check_shape(b, form, inputs);
  if (!accumulates(form, inputs))
    b.refuse(say("there is no mma of .", name_of(form.a), " with .", name_of(form.d), " and .",
                 name_of(form.c), " accumulators"));
  const bool quad = form.m == 8 && inputs == Inputs::f16;
  if (!quad && (form.a_column_major || form.b_row_major)) b.refuse("the layouts must be .row.col");
  if (form.saturate && inputs != Inputs::bytes && inputs != Inputs::nibbles)
    b.refuse("'.satfinite' is for integers");
  if ((modifiers.bits != BitOperation::none) != (inputs == Inputs::bits))
    b.refuse("'.xor.popc' or '.and.popc' goes with .b1");
  if (modifiers.rounds && inputs != Inputs::f64) b.refuse("a rounding mode is for .f64");
}

// Metadata lies in one, two or four lanes of each four; the selector says in which.
void bind_metadata(Binding& b, MmaForm& form) {
  b.op.a = b.read(4, Type::b32);
  const std::int64_t selector = b.constant(b.operand(5));
  const int choices = 4 / (nibbles_per_row(form.a, form.k()) / 4);
  if (selector < 0 || selector >= choices)
    b.refuse(
        say("the sparsity selector is ", selector, ", of this shape it is less than ", choices));
  form.selector = static_cast<std::uint8_t>(selector);
}

void bind_mma(Binding& b) {
  const MatrixModifiers modifiers = matrix_modifiers(b);
  if (modifiers.types.size() != 4) b.refuse("mma names four types: of D, A, B and C");
  if (modifiers.row_major.size() != 2) b.refuse("mma names two layouts: .row.col");
  MmaForm form{.a = modifiers.types[1],
               .b = modifiers.types[2],
               .c = modifiers.types[3],
               .d = modifiers.types[0]};
  if (modifiers.m > 255 || modifiers.n > 255 || modifiers.k > 1020 || modifiers.k % 4 != 0)
    b.refuse("there is no such shape");
  form.m = static_cast<std::uint8_t>(modifiers.m);
  form.n = static_cast<std::uint8_t>(modifiers.n);
  form.quarter_k = static_cast<std::uint8_t>(modifiers.k / 4);
  form.saturate = modifiers.saturate;
  form.sparse = modifiers.sparse;
  form.a_column_major = !modifiers.row_major[0];
  form.b_row_major = modifiers.row_major[1];
  form.exclusive_or = modifiers.bits == BitOperation::exclusive_or;
  check(b, modifiers, form);

  b.expect_operands(form.sparse ? 6 : 4, form.sparse ? 6 : 4);
  const bool quad = form.m == 8 && form.a == Type::f16;
  const auto accumulators = [&](Type type) {
    return quad ? (type == Type::f16 ? 4 : 8) : register_count(form.m, form.n, type);
  };
  list_registers(b, 0, accumulators(form.d), register_type(form.d), Use::write);
  list_registers(b, 1, quad ? 2 : register_count(form.m, form.products(), form.a),
                 register_type(form.a), Use::read);
  list_registers(b, 2, quad ? 2 : register_count(form.n, form.k(), form.b), register_type(form.b),
                 Use::read);
  list_registers(b, 3, accumulators(form.c), register_type(form.c), Use::read);
  if (form.sparse) bind_metadata(b, form);
  if (form.a == Type::f64) form.selector = static_cast<std::uint8_t>(modifiers.round);
  set_form(b.op, form);
  b.op.run = quad ? run_mma_quad : form.a == Type::f64 ? run_mma_double : run_mma;
}

constexpr OpcodeRow rows[] = {
    {"mma", OpClass::tensor, bind_mma,
     "{.sp,.sp::ordered_metadata}.sync.aligned in all shapes of f16, bf16, tf32, f64, s8, u8, s4, "
     "u4, b1, e4m3, e5m2 up to sm_90; .satfinite; .xor.popc, .and.popc"},
};

}  // namespace

std::span<const OpcodeRow> mma_rows() { return rows; }

}  // namespace aisp::sim
