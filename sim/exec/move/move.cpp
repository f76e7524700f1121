// mov in all its forms (registers, constants, special registers, addresses, packing and unpacking),
// selp and slct.
#include "sim/exec/arithmetic/integer/compare.hpp"
#include "sim/exec/arithmetic/integer/handler.hpp"
#include "sim/exec/form.hpp"
#include "sim/exec/move/address.hpp"
#include "sim/exec/opcodes.hpp"

namespace aisp::sim {
namespace {

struct Same {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};

struct NegatedForm {
  bool negated = false;  // the predicate
};

Flow move_128(Warp& warp, const Op& op, Mask mask) {
  u64* d = warp.write<u64>(op.dst);
  const u64* a = warp.read<u64>(op.a);
  each_lane(mask, [&](int lane) {
    d[2 * lane] = a[2 * lane];
    d[2 * lane + 1] = a[2 * lane + 1];
  });
  return Flow::next;
}

Flow move_predicate(Warp& warp, const Op& op, Mask mask) {
  warp.set_predicate(op.dst, mask,
                     warp.predicate(op.a) ^ (form_of<NegatedForm>(op).negated ? all_lanes : 0));
  return Flow::next;
}

// Vectors: `parts` elements of type P in one W, the first one in the low bits.
template <class W, class P, int parts>
Flow pack(Warp& warp, const Op& op, Mask mask) {
  Lane<W>* d = warp.write<Lane<W>>(op.dst);
  const Ref* list = warp.list(op);
  const Lane<P>* in[parts];
  for (int i = 0; i < parts; ++i) in[i] = warp.read<Lane<P>>(list[i]);
  each_lane(mask, [&](int lane) {
    Lane<W> value = 0;
    for (int i = 0; i < parts; ++i) {
      value |= static_cast<Lane<W>>(static_cast<P>(in[i][lane])) << (i * width<P>);
    }
    d[lane] = value;
  });
  return Flow::next;
}

// Elements that go to the sink are no_ref.
template <class W, class P, int parts>
Flow unpack(Warp& warp, const Op& op, Mask mask) {
  const Lane<W>* a = warp.read<Lane<W>>(op.a);
  const Ref* list = warp.list(op);
  for (int i = 0; i < parts; ++i) {
    if (list[i] == no_ref) continue;
    Lane<P>* d = warp.write<Lane<P>>(list[i]);
    each_lane(mask, [&](int lane) { d[lane] = static_cast<P>(a[lane] >> (i * width<P>)); });
  }
  return Flow::next;
}

// Sixteen bytes: the lanes of the whole lie one behind the other as `parts` times P.
template <class P, int parts>
Flow pack_128(Warp& warp, const Op& op, Mask mask) {
  P* d = warp.write<P>(op.dst);
  const Ref* list = warp.list(op);
  for (int i = 0; i < parts; ++i) {
    const P* in = warp.read<P>(list[i]);
    each_lane(mask, [&](int lane) { d[parts * lane + i] = in[lane]; });
  }
  return Flow::next;
}
template <class P, int parts>
Flow unpack_128(Warp& warp, const Op& op, Mask mask) {
  const P* a = warp.read<P>(op.a);
  const Ref* list = warp.list(op);
  for (int i = 0; i < parts; ++i) {
    if (list[i] == no_ref) continue;
    P* d = warp.write<P>(list[i]);
    each_lane(mask, [&](int lane) { d[lane] = a[parts * lane + i]; });
  }
  return Flow::next;
}

struct VectorForm {
  int bits;  // of the whole
  int parts;
  Type part;
  Handler pack, unpack;
};
constexpr VectorForm vector_forms[] = {
    {16, 2, Type::b8, pack<u16, u8, 2>, unpack<u16, u8, 2>},
    {32, 2, Type::b16, pack<u32, u16, 2>, unpack<u32, u16, 2>},
    {32, 4, Type::b8, pack<u32, u8, 4>, unpack<u32, u8, 4>},
    {64, 2, Type::b32, pack<u64, u32, 2>, unpack<u64, u32, 2>},
    {64, 4, Type::b16, pack<u64, u16, 4>, unpack<u64, u16, 4>},
    {128, 2, Type::b64, pack_128<u64, 2>, unpack_128<u64, 2>},
    {128, 4, Type::b32, pack_128<u32, 4>, unpack_128<u32, 4>},
};

bool is_vector(const ptx::Operand& operand) { return operand.kind == ptx::Operand::Kind::vector; }

void bind_vector(Binding& b, Type type) {
  if (is_integer(type) || is_float(type)) b.refuse("packing needs a type .bN");
  const bool packs = is_vector(b.operand(1));
  if (packs && is_vector(b.operand(0))) b.refuse("both operands are vectors");
  const ptx::Operand& elements = b.operand(packs ? 1 : 0);
  for (const VectorForm& form : vector_forms) {
    if (form.bits != bits_of(type)) continue;
    if (form.parts != static_cast<int>(elements.parts.size())) continue;
    if (packs) {
      b.op.dst = b.write(b.operand(0), type);
      for (const ptx::Operand& element : elements.parts) b.list(b.read(element, form.part));
    } else {
      b.op.a = b.read(b.operand(1), type);
      for (const ptx::Operand& element : elements.parts) b.list(b.write(element, form.part));
    }
    b.op.run = packs ? form.pack : form.unpack;
    return;
  }
  b.refuse("no such packing: " + std::to_string(elements.parts.size()) + " elements in ." +
           std::string(name_of(type)));
}

void bind_move_predicate(Binding& b) {
  NegatedForm form;
  b.op.dst = b.write_predicate(b.operand(0));
  b.op.a = b.read_predicate(b.operand(1), form.negated);
  set_form(b.op, form);
  b.op.run = move_predicate;
}

void bind_mov(Binding& b) {
  const Type type =
      b.type_of({Type::pred, Type::b16, Type::b32, Type::b64, Type::b128, Type::u16, Type::u32,
                 Type::u64, Type::s16, Type::s32, Type::s64, Type::f32, Type::f64});
  b.expect_operands(2, 2);
  if (type == Type::pred) return bind_move_predicate(b);
  if (is_vector(b.operand(0)) || is_vector(b.operand(1))) return bind_vector(b, type);

  b.op.dst = b.write(b.operand(0), type);
  const ptx::Operand& source = b.operand(1);
  if (b.is_volatile_special(source)) return bind_volatile(b, source, type);
  if (b.is_variable(source)) return bind_address(b, b.address_of(source, type), type, 0);
  b.op.a = b.read(source, type);
  b.op.run = type == Type::b128
                 ? move_128
                 : pick_width(type, []<class T>() -> Handler { return apply<Same, T, T>; });
}

template <class T>
Flow select(Warp& warp, const Op& op, Mask mask) {
  T* d = warp.write<T>(op.dst);
  const T* a = warp.read<T>(op.a);
  const T* b = warp.read<T>(op.b);
  const Mask choice = warp.predicate(op.c) ^ (form_of<NegatedForm>(op).negated ? all_lanes : 0);
  each_lane(mask, [&](int lane) { d[lane] = choice >> lane & 1 ? a[lane] : b[lane]; });
  return Flow::next;
}

constexpr auto selected_types = {Type::b16, Type::b32, Type::b64, Type::u16, Type::u32, Type::u64,
                                 Type::s16, Type::s32, Type::s64, Type::f32, Type::f64};

void bind_selp(Binding& b) {
  const Type type = b.type_of(selected_types);
  b.expect_operands(4, 4);
  NegatedForm form;
  b.op.dst = b.write(0, type);
  b.op.a = b.read(1, type);
  b.op.b = b.read(2, type);
  b.op.c = b.read_predicate(b.operand(3), form.negated);
  set_form(b.op, form);
  b.op.run = bits_of(type) == 64 ? select<u64> : select<u32>;
}

// a where c >= 0, b elsewhere and for NaN. -0 counts as zero; with .ftz so do subnormals.
struct SelectBySign {
  template <class T>
  T operator()(T a, T b, s32 c) const {
    return c >= 0 ? a : b;
  }
};
template <u32 zeros_below>  // bits of the magnitude that are taken for zero, up to
struct SelectByFloat {
  template <class T>
  T operator()(T a, T b, u32 c) const {
    const u32 magnitude = c & 0x7fffffff;
    const bool is_nan = magnitude > 0x7f800000;
    return !is_nan && (c == magnitude || magnitude <= zeros_below) ? a : b;
  }
};

void bind_slct(Binding& b) {
  bool flush = b.accept("ftz");
  const Type type = b.type_of(selected_types);
  const Type by = b.type_of({Type::s32, Type::f32});
  if (flush && by != Type::f32) b.refuse(".ftz needs the selector .f32");
  flush = flush || b.always_flushes();
  bind_operands(b, type, {type, type, by});
  b.op.run = pick_width(type, [&]<class T>() -> Handler {
    if (by == Type::s32) return apply<SelectBySign, T, T, T, s32>;
    return flush ? apply<SelectByFloat<0x7fffff>, T, T, T, u32>
                 : apply<SelectByFloat<0>, T, T, T, u32>;
  });
}

}  // namespace

std::span<const OpcodeRow> move_rows() {
  using enum OpClass;
  static const OpcodeRow rows[] = {
      {"mov", move, bind_mov,
       ".pred, .b{16,32,64,128}, .{u,s}{16,32,64}, .f{32,64}; vectors of .bN; addresses; special "
       "registers"},
      {"selp", move, bind_selp, ".{b,u,s}{16,32,64}, .f{32,64}"},
      {"slct", move, bind_slct, "{.ftz}.{b,u,s}{16,32,64}, .f{32,64} by .s32 or .f32"},
      {"setp", compare, bind_setp, ".{b,u,s}{16,32,64} with .and .or .xor, p|q; floats"},
      {"set", compare, bind_set, ".{u32,s32,f32,f16,bf16}.{b,u,s}{16,32,64}; floats"},
      {"cvta", move, bind_cvta, "{.to}.{global,const,local,param,shared}.u64"},
      {"isspacep", compare, bind_isspacep, ".{global,const,local,param,shared}"},
      {"mapa", move, bind_mapa, "{.shared::cluster}.{u32,u64}", sm_90},
      {"getctarank", move, bind_getctarank, "{.shared::cluster}.{u32,u64}", sm_90},
  };
  return rows;
}

}  // namespace aisp::sim
