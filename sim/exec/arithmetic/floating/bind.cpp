// Reads the modifiers of floating-point instructions and checks them against what each type takes.
#include "sim/exec/arithmetic/floating/bind.hpp"

#include <algorithm>
#include <string>

#include "base/refuse.hpp"
#include "sim/exec/arithmetic/floating/form.hpp"

namespace aisp::sim {
namespace {

using base::say;

enum Takes : unsigned {
  nearest = 1,   // .rn
  directed = 2,  // .rz .rm .rp as well
  rounding = 4,  // one of them has to be written, or .approx and .full where the form has these
  flush = 8,
  saturate = 16,
  relu = 32,
  oob = 64,
  nans = 128,  // .NaN and .xorsign.abs
  mixed = 256,
  fast = 512,   // .approx and .full
  three = 1024  // a third operand, .abs
};

constexpr unsigned bit(FloatOp op) { return 1u << static_cast<int>(op); }
constexpr unsigned sums = bit(FloatOp::add) | bit(FloatOp::sub);
constexpr unsigned plain = sums | bit(FloatOp::mul);
constexpr unsigned fused = bit(FloatOp::fma) | bit(FloatOp::mad);
constexpr unsigned signs = bit(FloatOp::neg) | bit(FloatOp::abs);
constexpr unsigned ends = bit(FloatOp::min) | bit(FloatOp::max);

struct FormRow {
  unsigned ops;
  Type type;
  unsigned takes;
  Needs needs{};
};

constexpr FormRow forms[] = {
    {sums, Type::f32, nearest | directed | flush | saturate | mixed},
    {bit(FloatOp::mul), Type::f32, nearest | directed | flush | saturate},
    {plain, Type::f64, nearest | directed},
    {plain, Type::f32x2, nearest | directed | flush, sm_100},
    {plain, Type::f16, nearest | flush | saturate},
    {plain, Type::f16x2, nearest | flush | saturate},
    {plain, Type::bf16, nearest, sm_90},
    {plain, Type::bf16x2, nearest, sm_90},
    {bit(FloatOp::fma), Type::f32, nearest | directed | rounding | flush | saturate | mixed},
    {bit(FloatOp::mad), Type::f32, nearest | directed | rounding | flush | saturate},
    {fused, Type::f64, nearest | directed | rounding},
    {bit(FloatOp::fma), Type::f32x2, nearest | directed | rounding | flush, sm_100},
    {bit(FloatOp::fma), Type::f16, nearest | rounding | flush | saturate | relu | oob},
    {bit(FloatOp::fma), Type::f16x2, nearest | rounding | flush | saturate | relu | oob},
    {bit(FloatOp::fma), Type::bf16, nearest | rounding | relu | oob, sm_80},
    {bit(FloatOp::fma), Type::bf16x2, nearest | rounding | relu | oob, sm_80},
    {bit(FloatOp::div), Type::f32, nearest | directed | rounding | flush | fast},
    {bit(FloatOp::div), Type::f64, nearest | directed | rounding},
    {signs, Type::f32, flush},
    {signs, Type::f64, 0},
    {signs, Type::f16, flush},
    {signs, Type::f16x2, flush},
    {signs, Type::bf16, 0, sm_80},
    {signs, Type::bf16x2, 0, sm_80},
    {ends, Type::f32, flush | nans | three},
    {ends, Type::f64, 0},
    {ends, Type::f16, flush | nans, sm_80},
    {ends, Type::f16x2, flush | nans, sm_80},
    {ends, Type::bf16, nans, sm_80},
    {ends, Type::bf16x2, nans, sm_80},
};

FloatForm read_modifiers(Binding& b, FloatOp what) {
  FloatForm form;
  form.op = what;
  if (const auto round = b.accept(roundings)) {
    form.rounds = true;
    form.round = *round;
  } else {
    form.approx = b.accept("approx");
    form.full = !form.approx && b.accept("full");
  }
  form.ftz = b.accept("ftz");
  form.oob = b.accept("oob");
  form.sat = b.accept("sat");
  form.relu = b.accept("relu");
  form.nan = b.accept("NaN");
  if (b.accept("xorsign")) {
    b.expect("abs");
    form.xorsign = true;
  } else {
    form.absolute = b.accept("abs");
  }
  form.type = b.type();
  b.accept_type(form.narrow);
  form.ftz = form.ftz || (form.type == Type::f32 && b.always_flushes());
  return form;
}

// Old modules may leave out the rounding: it is .rn, of div.f32 .approx.
void round_as_before(const Binding& b, FloatForm& form) {
  constexpr int first_explicit = 14, first_explicit_mad = 32;  // versions 1.4 and 3.2
  if (form.rounds || form.approx || form.full) return;
  const bool single = form.type == Type::f32;
  if (form.op == FloatOp::mad)
    form.rounds =
        b.is_before(single ? first_explicit_mad : first_explicit) || (single && b.always_flushes());
  if (form.op == FloatOp::div && b.is_before(first_explicit)) {
    form.approx = single;
    form.rounds = !single;
  }
}

void check(const Binding& b, const FloatForm& form) {
  const auto* row = std::find_if(std::begin(forms), std::end(forms), [&](const FormRow& r) {
    return (r.ops & bit(form.op)) != 0 && r.type == form.type;
  });
  if (row == std::end(forms)) b.refuse("no such floating-point type for this instruction");
  const auto only = [&](bool given, unsigned what, const char* name) {
    if (given && (row->takes & what) == 0) b.refuse(std::string(name) + " does not go with it");
  };
  only(form.rounds, nearest, "a rounding modifier");
  only(form.round != Round::rn, directed, "rounding other than .rn");
  only(form.ftz, flush, ".ftz");
  only(form.sat, saturate, ".sat");
  only(form.relu, relu, ".relu");
  only(form.oob, oob, ".oob");
  only(form.nan, nans, ".NaN");
  only(form.xorsign, nans, ".xorsign.abs");
  only(form.approx || form.full, fast, ".approx or .full");
  only(form.absolute || form.inputs == 3, three | rounding, "a third operand");
  only(form.narrow != Type::none, mixed, "a second type");
  if ((row->takes & rounding) != 0 && !form.rounds && !form.approx && !form.full)
    b.refuse("needs a rounding modifier");
  if (form.sat && form.relu) b.refuse(".sat and .relu exclude each other");
  if (form.oob && (form.ftz || form.sat)) b.refuse(".oob goes with .relu only");
  if (form.narrow != Type::none) {
    if (form.narrow != Type::f16 && form.narrow != Type::bf16) b.refuse("factors are f16 or bf16");
    if (form.ftz) b.refuse(".ftz does not go with it");
    b.require(sm_100, "a second type");
  }
  b.require(row->needs, say('.', name_of(form.type), " of this instruction"));
  if (form.oob) b.require(sm_90, ".oob");
  if (form.xorsign) b.require(sm_86, ".xorsign");
  if (form.absolute && form.inputs != 3) b.refuse(".abs needs three operands");
  if (form.inputs == 3 && (row->takes & three) != 0) {
    if (form.xorsign) b.refuse(".xorsign needs two operands");
    b.require(sm_100, "a third operand");
  }
}

OpClass class_of(Type type) {
  if (type == Type::f64) return OpClass::float64;
  return type == Type::f32 || type == Type::f32x2 ? OpClass::float32 : OpClass::half;
}

}  // namespace

void bind_float(Binding& b, FloatOp what) {
  FloatForm form = read_modifiers(b, what);
  round_as_before(b, form);
  const bool is_fused = (bit(what) & fused) != 0, is_sign = (bit(what) & signs) != 0;
  const int least = is_sign ? 1 : is_fused ? 3 : 2;
  b.expect_operands(least + 1, (bit(what) & ends) != 0 ? 4 : least + 1);
  form.inputs = static_cast<std::uint16_t>(b.operands() - 1);
  check(b, form);

  const bool is_mixed = form.narrow != Type::none;
  const Type factor = is_mixed ? form.narrow : form.type;
  const Type addend = is_mixed && !is_fused ? form.type : factor;
  b.op.dst = b.write(0, form.type);
  b.op.a = b.read(1, factor);
  if (form.inputs > 1) b.op.b = b.read(2, addend);
  if (form.inputs > 2) b.op.c = b.read(3, form.type);
  set_form(b.op, form);
  b.op.kind = class_of(form.type);
  if (is_sign || (bit(what) & ends) != 0)
    b.op.run = select_handler(form);
  else
    b.op.run = class_of(form.type) == OpClass::half ? half_handler(form) : arithmetic_handler(form);
}

}  // namespace aisp::sim
