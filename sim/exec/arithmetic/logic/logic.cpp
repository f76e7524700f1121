// Bitwise logic and shifts: and or xor not cnot shl shr shf.
#include "sim/exec/arithmetic/logic/logic.hpp"

#include <algorithm>

#include "sim/exec/arithmetic/integer/handler.hpp"
#include "sim/exec/form.hpp"
#include "sim/exec/opcodes.hpp"

namespace aisp::sim {
namespace {

struct And {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  template <class T>
  T operator()(T a) const {
    return a == 0;
  }
};

// Shift amounts beyond the width act like the width.
struct ShiftLeft {
  template <class T>
  T operator()(T a, u32 amount) const {
    return amount < width<T> ? static_cast<T>(a << (amount & (width<T> - 1))) : T{0};
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T a, u32 amount) const {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> std::min<u32>(amount, width<T> - 1));
    } else {
      return amount < width<T> ? static_cast<T>(a >> (amount & (width<T> - 1))) : T{0};
    }
  }
};

struct Clamp {
  static u32 amount(u32 c) { return std::min(c, 32u); }
};
struct Wrap {
  static u32 amount(u32 c) { return c & 31; }
};
// b is the upper half of the 64 bits that are shifted.
template <class Mode>
struct FunnelLeft {
  u32 operator()(u32 a, u32 b, u32 c) const {
    return static_cast<u32>((u64{b} << 32 | a) << Mode::amount(c) >> 32);
  }
};
template <class Mode>
struct FunnelRight {
  u32 operator()(u32 a, u32 b, u32 c) const {
    return static_cast<u32>((u64{b} << 32 | a) >> Mode::amount(c));
  }
};

struct PredicateForm {
  bool negate_a = false, negate_b = false;
};

template <class F>
Flow predicate_logic(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<PredicateForm>(op);
  const Mask a = warp.predicate(op.a) ^ (form.negate_a ? all_lanes : 0);
  const Mask b = warp.predicate(op.b) ^ (form.negate_b ? all_lanes : 0);
  warp.set_predicate(op.dst, mask, F{}(a, b));
  return Flow::next;
}
Flow predicate_not(Warp& warp, const Op& op, Mask mask) {
  const Mask a = warp.predicate(op.a) ^ (form_of<PredicateForm>(op).negate_a ? all_lanes : 0);
  warp.set_predicate(op.dst, mask, ~a);
  return Flow::next;
}

template <class F>
void bind_logic(Binding& b) {
  const Type type = b.type_of({Type::pred, Type::b16, Type::b32, Type::b64});
  if (type == Type::pred) {
    b.expect_operands(3, 3);
    PredicateForm form;
    b.op.dst = b.write_predicate(b.operand(0));
    b.op.a = b.read_predicate(b.operand(1), form.negate_a);
    b.op.b = b.read_predicate(b.operand(2), form.negate_b);
    set_form(b.op, form);
    b.op.run = predicate_logic<F>;
    return;
  }
  bind_operands(b, type, {type, type});
  b.op.run = pick_width(type, []<class T>() -> Handler { return apply<F, T, T, T>; });
}

void bind_not(Binding& b) {
  const Type type = b.type_of({Type::pred, Type::b16, Type::b32, Type::b64});
  if (type == Type::pred) {
    b.expect_operands(2, 2);
    PredicateForm form;
    b.op.dst = b.write_predicate(b.operand(0));
    b.op.a = b.read_predicate(b.operand(1), form.negate_a);
    set_form(b.op, form);
    b.op.run = predicate_not;
    return;
  }
  bind_operands(b, type, {type});
  b.op.run = pick_width(type, []<class T>() -> Handler { return apply<Not, T, T>; });
}

void bind_cnot(Binding& b) {
  const Type type = b.type_of({Type::b16, Type::b32, Type::b64});
  bind_operands(b, type, {type});
  b.op.run = pick_width(type, []<class T>() -> Handler { return apply<LogicalNot, T, T>; });
}

void bind_shl(Binding& b) {
  const Type type = b.type_of({Type::b16, Type::b32, Type::b64});
  bind_operands(b, type, {type, Type::u32});
  b.op.run = pick_width(type, []<class T>() -> Handler { return apply<ShiftLeft, T, T, u32>; });
}

void bind_shr(Binding& b) {
  const Type type = b.type_of({Type::b16, Type::b32, Type::b64, Type::u16, Type::u32, Type::u64,
                               Type::s16, Type::s32, Type::s64});
  bind_operands(b, type, {type, Type::u32});
  b.op.run = pick_integer(type, []<class T>() -> Handler { return apply<ShiftRight, T, T, u32>; });
}

constexpr Word<bool> directions[] = {{"l", false}, {"r", true}};

void bind_shf(Binding& b) {
  const bool right = b.one_of(directions, "shf needs .l or .r");
  const bool wrap = b.one_of(wraps, "shf needs .clamp or .wrap");
  b.expect("b32");
  bind_operands(b, Type::b32, {Type::b32, Type::b32, Type::u32});
  static constexpr Handler handlers[2][2] = {
      {apply<FunnelLeft<Clamp>, u32, u32, u32, u32>, apply<FunnelLeft<Wrap>, u32, u32, u32, u32>},
      {apply<FunnelRight<Clamp>, u32, u32, u32, u32>, apply<FunnelRight<Wrap>, u32, u32, u32, u32>},
  };
  b.op.run = handlers[right][wrap];
}

}  // namespace

std::span<const OpcodeRow> logic_rows() {
  using enum OpClass;
  static const std::vector<OpcodeRow> all = [] {
    std::vector<OpcodeRow> rows = {
        {"and", logic, bind_logic<And>, ".pred, .b{16,32,64}"},
        {"or", logic, bind_logic<Or>, ".pred, .b{16,32,64}"},
        {"xor", logic, bind_logic<Xor>, ".pred, .b{16,32,64}"},
        {"not", logic, bind_not, ".pred, .b{16,32,64}"},
        {"cnot", logic, bind_cnot, ".b{16,32,64}"},
        {"shl", logic, bind_shl, ".b{16,32,64}"},
        {"shr", logic, bind_shr, ".{b,u,s}{16,32,64}"},
        {"shf", logic, bind_shf, ".{l,r}.{clamp,wrap}.b32"},
        {"lop3", logic, bind_lop3, ".b32, .{and,or}.b32 with d|p"},
        {"prmt", logic, bind_prmt, ".b32{.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}"},
    };
    const auto bits = bit_rows();
    rows.insert(rows.end(), bits.begin(), bits.end());
    return rows;
  }();
  return all;
}

}  // namespace aisp::sim
