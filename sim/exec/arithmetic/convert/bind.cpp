// Reads the modifiers of cvt and checks them against its two types.
#include "sim/exec/arithmetic/convert/form.hpp"
#include "sim/exec/opcodes.hpp"

namespace aisp::sim {
namespace {

bool is_number(Type type) {
  return is_integer(type) || type == Type::f16 || type == Type::bf16 || type == Type::f32 ||
         type == Type::f64;
}

struct Rounding {
  Round round = Round::rn;
  bool integral = false;  // to an integral value
};
constexpr Word<Rounding> roundings_of_cvt[] = {
    {"rn", {Round::rn}},        {"rz", {Round::rz}},        {"rm", {Round::rm}},
    {"rp", {Round::rp}},        {"rna", {Round::rna}},      {"rni", {Round::rn, true}},
    {"rzi", {Round::rz, true}}, {"rmi", {Round::rm, true}}, {"rpi", {Round::rp, true}},
};

// PTX for sm_1x; before PTX 1.5 not where the other type has 64 bits.
bool flushes_as_before(const Binding& b, const ConvertForm& form) {
  constexpr int first_of_wide = 15;
  if (!b.always_flushes() || (form.to != Type::f32 && form.from != Type::f32)) return false;
  return !b.is_before(first_of_wide) || (bits_of(form.to) < 64 && bits_of(form.from) < 64);
}

ConvertForm read_modifiers(Binding& b) {
  ConvertForm form;
  form.stochastic = b.accept("rs");
  if (const auto rounding = b.accept(roundings_of_cvt)) {
    form.rounds = true;
    form.round = rounding->round;
    form.integral = rounding->integral;
  }
  form.ftz = b.accept("ftz");
  form.sat = b.accept("sat");
  form.relu = b.accept("relu");
  form.finite = b.accept("satfinite");
  form.relu = form.relu || b.accept("relu");
  form.to = b.type();
  form.from = b.type();
  form.ftz = form.ftz || flushes_as_before(b, form);
  return form;
}

void require(const Binding& b, bool condition, const char* otherwise) {
  if (!condition) b.refuse(otherwise);
}
bool includes(Type outer, Type inner) {
  const int magnitude = bits_of(outer) - (is_signed(outer) ? 1 : 0);
  return (is_signed(outer) || !is_signed(inner)) &&
         magnitude >= bits_of(inner) - (is_signed(inner) ? 1 : 0);
}

// Between numbers: which rounding is needed or possible.
void check_rounding(const Binding& b, const ConvertForm& form) {
  const bool from_float = is_float(form.from), to_float = is_float(form.to);
  const bool bfloat = form.to == Type::bf16 || form.from == Type::bf16;
  require(b, form.round != Round::rna, ".rna is for tf32");
  if (!from_float && !to_float) {
    require(b, !form.rounds, "integers are not rounded");
    require(b, !form.sat || !includes(form.to, form.from), ".sat has nothing to saturate");
  } else if (!to_float) {
    require(b, form.integral, "needs .rni, .rzi, .rmi or .rpi");
  } else if (!from_float) {
    require(b, form.rounds && !form.integral, "needs .rn, .rz, .rm or .rp");
  } else if (form.from == form.to) {
    require(b, !form.rounds || form.integral, "takes .rni, .rzi, .rmi or .rpi only");
  } else {
    require(b, !form.integral, "integral rounding is for equal sizes");
    const bool narrows = bits_of(form.to) < bits_of(form.from);
    require(b, !narrows || form.rounds, "needs .rn, .rz, .rm or .rp");
    require(b, narrows || bfloat || !form.rounds, "widening does not round");
  }
}

void check_numbers(const Binding& b, const ConvertForm& form) {
  check_rounding(b, form);
  const bool f32 = form.to == Type::f32 || form.from == Type::f32;
  const bool bfloat = form.to == Type::bf16 || form.from == Type::bf16;
  require(b, !form.ftz || f32, ".ftz goes with f32");
  if (bfloat) {
    require(b, !form.sat, ".sat does not go with bf16");
    const bool early = (form.to == Type::f32 && !form.ftz) || form.from == Type::f32;
    b.require(early && is_float(form.to) ? sm_80 : sm_90, "this conversion of bf16");
  }
  if (form.relu || form.finite) {
    const bool half = form.to == Type::f16 || form.to == Type::bf16;
    require(b, half && form.from == Type::f32 && !form.ftz && !form.sat,
            ".relu and .satfinite go with f16 and bf16 from f32");
    require(b, form.round == Round::rn || form.round == Round::rz, "takes .rn and .rz only");
  }
}

bool is_tiny(Type type) {  // fp6, fp4 and scales
  return type == Type::e3m2x2 || type == Type::e2m3x2 || type == Type::e2m1x2 ||
         type == Type::ue8m0x2;
}
bool is_fp8(Type type) { return type == Type::e4m3x2 || type == Type::e5m2x2; }

void check_packed(const Binding& b, const ConvertForm& form) {
  require(b, !form.ftz && !form.sat && !form.integral, "takes .relu and .satfinite only");
  require(b, form.rounds, "needs a rounding modifier");
  const bool to_small = is_fp8(form.to) || is_tiny(form.to), scale = form.to == Type::ue8m0x2;
  const bool from_small = is_fp8(form.from) || is_tiny(form.from);
  if (is_fp8(form.to) || is_fp8(form.from)) b.require(sm_89, "fp8");
  if (is_tiny(form.to) || is_tiny(form.from))
    b.require(sm_100a, "a conversion of fp6, fp4 or ue8m0");
  if (form.to == Type::tf32) {
    const bool away = form.round == Round::rna;
    require(b, !away || !form.relu, ".relu does not go with .rna");
    if (!away) b.require(form.finite ? sm_100 : sm_90, "this rounding to tf32");
    require(b, away || form.round == Round::rn || form.round == Round::rz,
            "takes .rna, .rn and .rz");
    b.require(sm_80, "tf32");
    return;
  }
  if (scale) {
    require(b, (form.round == Round::rz || form.round == Round::rp) && !form.relu,
            "takes .rz and .rp only");
  } else if (to_small || from_small) {
    require(b, form.round == Round::rn, "takes .rn only");
    require(b, form.finite == to_small, to_small ? "needs .satfinite" : "no .satfinite here");
    require(b, !form.relu || form.from != Type::ue8m0x2, "no .relu here");
  } else {
    require(b, form.round == Round::rn || form.round == Round::rz, "takes .rn and .rz only");
    b.require(sm_80, "a conversion of two numbers");
  }
}

void bind_numbers(Binding& b, ConvertForm& form) {
  check_numbers(b, form);
  b.expect_operands(2, 2);
  bool to_wide = false, from_wide = false;
  const int bits = b.register_bits(b.operand(0));
  b.op.dst = b.write_relaxed(b.operand(0), form.to, to_wide);
  b.op.a = b.read_relaxed(b.operand(1), form.from, from_wide);
  form.from_wide = from_wide;
  form.to_bits = to_wide ? 64 : bits == 32 ? 32 : 16;
  if (is_float(form.from) || is_float(form.to)) {
    const bool moves = form.from == form.to && !form.integral && !form.ftz && !form.sat;
    set_form(b.op, form);
    if (moves && (form.to == Type::f32 || form.to == Type::f64)) {
      // Hardware copies the bits, signalling NaN included.
      ConvertForm copy = form;
      copy.to = copy.from = form.to == Type::f32 ? Type::u32 : Type::u64;
      b.op.run = integer_conversion(b.op, copy);
    } else {
      const Handler fast = fast_conversion(form);
      b.op.run = fast != nullptr ? fast : value_conversion(form);
    }
  } else {
    b.op.run = integer_conversion(b.op, form);
  }
}

void bind_packed(Binding& b, ConvertForm& form) {
  const Handler general = packed_conversion(form);
  require(b, general != nullptr, "no conversion between these types");
  check_packed(b, form);
  const bool two = form.from == Type::f32 && form.to != Type::tf32;
  b.expect_operands(two ? 3 : 2, two ? 3 : 2);
  b.op.dst = b.write(0, form.to);
  b.op.a = b.read(1, form.from);
  if (two) b.op.b = b.read(2, form.from);
  set_form(b.op, form);
  const Handler fast = fast_conversion(form);
  b.op.run = fast != nullptr ? fast : general;
}

void bind_convert(Binding& b) {
  ConvertForm form = read_modifiers(b);
  if (form.stochastic)
    bind_stochastic(b, form);
  else if (is_number(form.to) && is_number(form.from))
    bind_numbers(b, form);
  else
    bind_packed(b, form);
}

constexpr OpcodeRow rows[] = {
    {"cvt", OpClass::convert, bind_convert,
     "all pairs of {u,s}{8,16,32,64}, f16, bf16, f32, f64 with .rn .rz .rm .rp .rni .rzi .rmi .rpi "
     ".ftz .sat .relu .satfinite; tf32, f16x2, bf16x2, e4m3x2, e5m2x2, e3m2x2, e2m3x2, e2m1x2, "
     "ue8m0x2; .rs to f16x2, bf16x2, e4m3x4, e5m2x4, e3m2x4, e2m3x4, e2m1x4"},
    {"cvt.pack", OpClass::convert, bind_pack,
     ".sat.{u16,s16}.s32, .sat.{u8,s8,u4,s4,u2,s2}.s32.b32"},
};

}  // namespace

std::span<const OpcodeRow> convert_rows() { return rows; }

}  // namespace aisp::sim
