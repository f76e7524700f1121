// Integer arithmetic: add sub mul mad mul24 mad24 sad div rem abs neg min max. Rows that floats
// share go to arithmetic/floating/bind.hpp when the type of the instruction is a floating-point
// one.
#include "sim/exec/arithmetic/floating/bind.hpp"
#include "sim/exec/arithmetic/integer/carry.hpp"
#include "sim/exec/arithmetic/integer/functions.hpp"
#include "sim/exec/arithmetic/integer/video.hpp"
#include "sim/exec/opcodes.hpp"

namespace aisp::sim {

namespace {

constexpr auto plain_types = {Type::u16, Type::s16, Type::u32, Type::s32, Type::u64, Type::s64};

template <class F>
Handler signless2(Type type) {
  return pick_width(type, []<class T>() -> Handler { return apply<F, T, T, T>; });
}
template <class F>
Handler signless3(Type type) {
  return pick_width(type, []<class T>() -> Handler { return apply<F, T, T, T, T>; });
}
template <class F>
Handler signed2(Type type) {
  return pick_integer(type, []<class T>() -> Handler { return apply<F, T, T, T>; });
}
template <class F>
Handler signed3(Type type) {
  return pick_integer(type, []<class T>() -> Handler { return apply<F, T, T, T, T>; });
}

// 32-bit instructions only.
template <class F>
Handler word2(Type type) {
  return is_signed(type) ? apply<F, s32, s32, s32> : apply<F, u32, u32, u32>;
}
template <class F>
Handler word3(Type type) {
  return is_signed(type) ? apply<F, s32, s32, s32, s32> : apply<F, u32, u32, u32, u32>;
}

template <FloatOp floating, class Wrapping, class Saturated>
void bind_sum(Binding& b, void (*with_carry)(Binding&)) {
  if (is_float(last_type(b))) return bind_float(b, floating);
  if (b.accept("cc")) return with_carry(b);
  if (b.accept("sat")) {
    b.expect("s32");
    bind_operands(b, Type::s32, {Type::s32, Type::s32});
    b.op.run = apply<Saturated, s32, s32, s32>;
    return;
  }
  const Type type = b.type();
  if (floating == FloatOp::add && (type == Type::u16x2 || type == Type::s16x2)) {
    b.require(sm_90, "a packed 16-bit add");
    bind_operands(b, type, {type, type});
    b.op.run = apply<Halves<Wrapping, u16>, u32, u32, u32>;
    return;
  }
  if (!is_integer(type) || bits_of(type) < 16) b.refuse("not a type of this instruction");
  bind_operands(b, type, {type, type});
  b.op.run = signless2<Wrapping>(type);
}
void bind_add(Binding& b) { bind_sum<FloatOp::add, Add, AddSaturated>(b, bind_add_carry); }
void bind_sub(Binding& b) { bind_sum<FloatOp::sub, Sub, SubSaturated>(b, bind_sub_carry); }

Type wider(Type type) {
  switch (type) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    default:
      return Type::s64;
  }
}

enum class Part { low, high, wide };
constexpr Word<Part> parts[] = {{"lo", Part::low}, {"hi", Part::high}, {"wide", Part::wide}};

Part product_part(Binding& b) {
  return b.one_of(parts, "an integer product needs .lo, .hi or .wide");
}

// The types that have a product twice as wide.
template <class Pick>
Handler pick_narrow(Type type, Pick pick) {
  switch (type) {
    case Type::u16:
      return pick.template operator()<u16>();
    case Type::s16:
      return pick.template operator()<s16>();
    case Type::u32:
      return pick.template operator()<u32>();
    default:
      return pick.template operator()<s32>();
  }
}

void bind_mul(Binding& b) {
  if (is_float(last_type(b))) return bind_float(b, FloatOp::mul);
  const Part part = product_part(b);
  if (part == Part::wide) {
    const Type type = b.type_of({Type::u16, Type::s16, Type::u32, Type::s32});
    bind_operands(b, wider(type), {type, type});
    b.op.run =
        pick_narrow(type, []<class T>() -> Handler { return apply<MulWide, Wide<T>, T, T>; });
    return;
  }
  const Type type = b.type_of(plain_types);
  bind_operands(b, type, {type, type});
  b.op.run = part == Part::low ? signless2<MulLow>(type) : signed2<MulHigh>(type);
}

void bind_mad(Binding& b) {
  if (is_float(last_type(b))) return bind_float(b, FloatOp::mad);
  const Part part = product_part(b);
  if (part == Part::wide) {
    const Type type = b.type_of({Type::u16, Type::s16, Type::u32, Type::s32});
    bind_operands(b, wider(type), {type, type, wider(type)});
    b.op.run = pick_narrow(
        type, []<class T>() -> Handler { return apply<MadWide, Wide<T>, T, T, Wide<T>>; });
    return;
  }
  if (b.accept("cc")) return bind_mad_carry(b, part == Part::high);
  if (part == Part::high && b.accept("sat")) {
    b.expect("s32");
    bind_operands(b, Type::s32, {Type::s32, Type::s32, Type::s32});
    b.op.run = apply<MadHighSaturated, s32, s32, s32, s32>;
    return;
  }
  const Type type = b.type_of(plain_types);
  bind_operands(b, type, {type, type, type});
  b.op.run = part == Part::low ? signless3<MadLow>(type) : signed3<MadHigh>(type);
}

bool part_is_high(Binding& b) { return b.one_of(halves_of_product, "needs .lo or .hi"); }

void bind_mul24(Binding& b) {
  const bool is_high = part_is_high(b);
  const Type type = b.type_of({Type::u32, Type::s32});
  bind_operands(b, type, {type, type});
  b.op.run = is_high ? word2<Mul24High>(type) : word2<Mul24Low>(type);
}

void bind_mad24(Binding& b) {
  const bool is_high = part_is_high(b);
  const bool saturate = is_high && b.accept("sat");
  const Type type = saturate ? b.type_of({Type::s32}) : b.type_of({Type::u32, Type::s32});
  bind_operands(b, type, {type, type, type});
  if (saturate) {
    b.op.run = apply<Mad24Saturated, s32, s32, s32, s32>;
  } else {
    b.op.run = is_high ? word3<Mad24<Mul24High>>(type) : word3<Mad24<Mul24Low>>(type);
  }
}

void bind_sad(Binding& b) {
  const Type type = b.type_of(plain_types);
  bind_operands(b, type, {type, type, type});
  b.op.run = signed3<Sad>(type);
}

template <class F>
void bind_quotient(Binding& b) {
  const Type type = b.type_of(plain_types);
  bind_operands(b, type, {type, type});
  b.op.run = signed2<F>(type);
}
void bind_div(Binding& b) {
  if (is_float(last_type(b))) return bind_float(b, FloatOp::div);
  bind_quotient<Div>(b);
}

template <FloatOp floating, class F>
void bind_sign(Binding& b) {
  if (is_float(last_type(b))) return bind_float(b, floating);
  const Type type = b.type_of({Type::s16, Type::s32, Type::s64});
  bind_operands(b, type, {type});
  b.op.run = pick_integer(type, []<class T>() -> Handler { return apply<F, T, T>; });
}

template <FloatOp floating, class F>
void bind_extreme(Binding& b) {
  if (is_float(last_type(b))) return bind_float(b, floating);
  bool relu = b.accept("relu");
  const Type type = b.type();
  relu = relu || b.accept("relu");  // the toolkit's headers write it behind the type
  const bool packed = type == Type::u16x2 || type == Type::s16x2;
  if (relu ? type != Type::s32 && type != Type::s16x2
           : !packed && (!is_integer(type) || bits_of(type) < 16)) {
    b.refuse("not a type of this instruction");
  }
  if (relu || packed) b.require(sm_90, relu ? "integer .relu" : "a packed 16-bit min or max");
  bind_operands(b, type, {type, type});
  if (type == Type::u16x2) {
    b.op.run = apply<Halves<F, u16>, u32, u32, u32>;
  } else if (type == Type::s16x2) {
    b.op.run =
        relu ? apply<Halves<Relu<F>, s16>, u32, u32, u32> : apply<Halves<F, s16>, u32, u32, u32>;
  } else {
    b.op.run = relu ? apply<Relu<F>, s32, s32, s32> : signed2<F>(type);
  }
}

void bind_fma(Binding& b) { bind_float(b, FloatOp::fma); }

}  // namespace

std::span<const OpcodeRow> integer_rows() {
  using enum OpClass;
  static const std::vector<OpcodeRow> all = [] {
    const std::string_view plain = ".{u,s}{16,32,64}";
    std::vector<OpcodeRow> rows = {
        {"add", integer, bind_add,
         ".{u,s}{16,32,64}, .sat.s32, .{u,s}16x2, .cc.{u,s}{32,64}; floats"},
        {"addc", integer, bind_addc, "{.cc}.{u,s}{32,64}"},
        {"sub", integer, bind_sub, ".{u,s}{16,32,64}, .sat.s32, .cc.{u,s}{32,64}; floats"},
        {"subc", integer, bind_subc, "{.cc}.{u,s}{32,64}"},
        {"mul", integer, bind_mul, ".{lo,hi}.{u,s}{16,32,64}, .wide.{u,s}{16,32}; floats"},
        {"mad", integer, bind_mad,
         ".{lo,hi}.{u,s}{16,32,64}, .wide.{u,s}{16,32}, .hi.sat.s32, .{lo,hi}.cc.{u,s}{32,64}; "
         "floats"},
        {"madc", integer, bind_madc, ".{lo,hi}{.cc}.{u,s}{32,64}"},
        {"fma", float32, bind_fma, "floats"},
        {"mul24", integer, bind_mul24, ".{lo,hi}.{u,s}32"},
        {"mad24", integer, bind_mad24, ".{lo,hi}.{u,s}32, .hi.sat.s32"},
        {"sad", integer, bind_sad, plain},
        {"div", integer, bind_div, ".{u,s}{16,32,64}; floats"},
        {"rem", integer, bind_quotient<Rem>, plain},
        {"abs", integer, bind_sign<FloatOp::abs, Abs>, ".s{16,32,64}; floats"},
        {"neg", integer, bind_sign<FloatOp::neg, Neg>, ".s{16,32,64}; floats"},
        {"min", integer, bind_extreme<FloatOp::min, Min>,
         ".{u,s}{16,32,64}, .{u,s}16x2, .relu.{s32,s16x2}; floats"},
        {"max", integer, bind_extreme<FloatOp::max, Max>,
         ".{u,s}{16,32,64}, .{u,s}16x2, .relu.{s32,s16x2}; floats"},
    };
    const auto video = video_rows();
    rows.insert(rows.end(), video.begin(), video.end());
    return rows;
  }();
  return all;
}

}  // namespace aisp::sim
