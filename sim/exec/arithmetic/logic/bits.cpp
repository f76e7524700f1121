// Counting, finding and moving bits, and dot products of bytes: popc clz bfind fns brev bfe bfi
// szext bmsk dp4a dp2a.
#include <algorithm>
#include <bit>

#include "sim/exec/arithmetic/integer/handler.hpp"
#include "sim/exec/arithmetic/logic/logic.hpp"

namespace aisp::sim {
namespace {

struct Popc {
  template <class T>
  u32 operator()(T a) const {
    return static_cast<u32>(std::popcount(a));
  }
};
struct Clz {
  template <class T>
  u32 operator()(T a) const {
    return static_cast<u32>(std::countl_zero(a));
  }
};

// Position of the highest bit that differs from the sign (from zero, unsigned); -1 without any.
struct Bfind {
  template <class T>
  u32 operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(a < 0 ? ~a : a);
    return static_cast<u32>(width<T> - 1 - std::countl_zero(bits));
  }
};
// ... as the amount that would shift it to the top.
struct BfindShift {
  template <class T>
  u32 operator()(T a) const {
    const u32 at = Bfind{}(a);
    return at == ~0u ? at : width<T> - 1 - at;
  }
};

struct Brev {
  u64 operator()(u64 a) const {
    a = (a >> 1 & 0x5555555555555555) | (a & 0x5555555555555555) << 1;
    a = (a >> 2 & 0x3333333333333333) | (a & 0x3333333333333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f0f0f0f0f) | (a & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(a);
  }
  u32 operator()(u32 a) const { return static_cast<u32>((*this)(u64{a}) >> 32); }
};

// Position and length beyond 255 are not defined; the hardware takes the low bytes for 32-bit
// fields and the whole operands for 64-bit ones.
template <class T>
constexpr u32 field_operand(u32 value) {
  return width<T> == 32 ? value & 0xff : value;
}

// A field that reaches beyond the top is filled with the top bit (signed) or zeros.
struct Bfe {
  template <class T>
  T operator()(T a, u32 position, u32 length) const {
    position = field_operand<T>(position);
    length = field_operand<T>(length);
    if (length == 0) return 0;
    const int top = std::is_signed_v<T> ? width<T> - 1 : width<T>;
    const T shifted = position >= width<T> && !std::is_signed_v<T>
                          ? T{0}
                          : static_cast<T>(a >> std::min<u32>(position, top));
    if (length >= width<T>) return shifted;
    const u32 spare = width<T> - length;
    return static_cast<T>(static_cast<T>(static_cast<std::make_unsigned_t<T>>(shifted) << spare) >>
                          spare);
  }
};
struct Bfi {
  template <class T>
  T operator()(T a, T b, u32 position, u32 length) const {
    position = field_operand<T>(position);
    length = field_operand<T>(length);
    if (position >= width<T>) return b;
    const T field = (length >= width<T> ? ~T{0} : (T{1} << length) - 1) << position;
    return (b & ~field) | (a << position & field);
  }
};

struct Clamp {
  static u32 amount(u32 value) { return std::min(value, 32u); }
};
struct Wrap {
  static u32 amount(u32 value) { return value & 31; }
};
template <class Mode>
struct Szext {
  template <class T>
  T operator()(T a, u32 bits) const {
    const u32 kept = Mode::amount(bits);
    if (kept == 0) return 0;
    return static_cast<T>(static_cast<u32>(a) << (32 - kept)) >> (32 - kept);
  }
};
template <class Mode>
struct Bmsk {
  u32 operator()(u32 position, u32 length) const {
    const u64 ones = (u64{1} << Mode::amount(length)) - 1;
    return static_cast<u32>(ones << Mode::amount(position));
  }
};

// The offset-th set bit of the mask, counted upwards (downwards when negative) from the base, which
// counts itself; 0 asks for the base alone.
struct Fns {
  u32 operator()(u32 mask, u32 base, s32 offset) const {
    if (base > 31) return ~0u;
    const bool at_base = mask >> base & 1;
    if (offset == 0) return at_base ? base : ~0u;
    const int step = offset > 0 ? 1 : -1;
    s64 left = offset > 0 ? s64{offset} : -s64{offset};
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
      if (mask >> at & 1 && --left == 0) return static_cast<u32>(at);
    }
    return ~0u;
  }
};

template <bool is_signed, int bits>
constexpr u32 element(u32 word, int index) {
  const u32 raised = word << (32 - bits * (index + 1));
  return is_signed ? static_cast<u32>(static_cast<s32>(raised) >> (32 - bits))
                   : raised >> (32 - bits);
}
template <bool signed_a, bool signed_b>
struct Dp4a {
  u32 operator()(u32 a, u32 b, u32 c) const {
    for (int i = 0; i < 4; ++i) c += element<signed_a, 8>(a, i) * element<signed_b, 8>(b, i);
    return c;
  }
};
template <bool signed_a, bool signed_b, int first>  // first byte of b
struct Dp2a {
  u32 operator()(u32 a, u32 b, u32 c) const {
    for (int i = 0; i < 2; ++i) {
      c += element<signed_a, 16>(a, i) * element<signed_b, 8>(b, first + i);
    }
    return c;
  }
};

template <class F>
void bind_count(Binding& b) {
  const Type type = b.type_of({Type::b32, Type::b64});
  bind_operands(b, Type::u32, {type});
  b.op.run = bits_of(type) == 64 ? apply<F, u32, u64> : apply<F, u32, u32>;
}

void bind_bfind(Binding& b) {
  const bool shift = b.accept("shiftamt");
  const Type type = b.type_of({Type::u32, Type::s32, Type::u64, Type::s64});
  bind_operands(b, Type::u32, {type});
  b.op.run = pick_integer(type, [shift]<class T>() -> Handler {
    return shift ? apply<BfindShift, u32, T> : apply<Bfind, u32, T>;
  });
}

void bind_brev(Binding& b) {
  const Type type = b.type_of({Type::b32, Type::b64});
  bind_operands(b, type, {type});
  b.op.run = bits_of(type) == 64 ? apply<Brev, u64, u64> : apply<Brev, u32, u32>;
}

void bind_bfe(Binding& b) {
  const Type type = b.type_of({Type::u32, Type::s32, Type::u64, Type::s64});
  for (int index = 2; index < b.operands(); ++index) {
    const ptx::Operand& operand = b.operand(index);
    if (b.is_constant(operand) && (b.constant(operand) < 0 || b.constant(operand) > 255)) {
      b.refuse("position and length lie in 0..255");
    }
  }
  bind_operands(b, type, {type, Type::u32, Type::u32});
  b.op.run = pick_integer(type, []<class T>() -> Handler { return apply<Bfe, T, T, u32, u32>; });
}

void bind_bfi(Binding& b) {
  const Type type = b.type_of({Type::b32, Type::b64});
  bind_operands(b, type, {type, type, Type::u32, Type::u32});
  b.op.run = bits_of(type) == 64 ? apply<Bfi, u64, u64, u64, u32, u32>
                                 : apply<Bfi, u32, u32, u32, u32, u32>;
}

bool take_wrap(Binding& b) { return b.one_of(wraps, "needs .clamp or .wrap"); }

void bind_szext(Binding& b) {
  const bool wrap = take_wrap(b);
  const Type type = b.type_of({Type::u32, Type::s32});
  bind_operands(b, type, {type, Type::u32});
  if (is_signed(type)) {
    b.op.run = wrap ? apply<Szext<Wrap>, s32, s32, u32> : apply<Szext<Clamp>, s32, s32, u32>;
  } else {
    b.op.run = wrap ? apply<Szext<Wrap>, u32, u32, u32> : apply<Szext<Clamp>, u32, u32, u32>;
  }
}

void bind_bmsk(Binding& b) {
  const bool wrap = take_wrap(b);
  b.expect("b32");
  bind_operands(b, Type::b32, {Type::u32, Type::u32});
  b.op.run = wrap ? apply<Bmsk<Wrap>, u32, u32, u32> : apply<Bmsk<Clamp>, u32, u32, u32>;
}

void bind_fns(Binding& b) {
  b.expect("b32");
  bind_operands(b, Type::b32, {Type::b32, Type::b32, Type::s32});
  b.op.run = apply<Fns, u32, u32, u32, s32>;
}

// Binds `.atype.btype`; the index of the pair (u u, u s, s u, s s).
int bind_dot(Binding& b) {
  const Type a = b.type_of({Type::u32, Type::s32});
  const Type other = b.type_of({Type::u32, Type::s32});
  const Type sum = is_signed(a) || is_signed(other) ? Type::s32 : Type::u32;
  bind_operands(b, sum, {Type::b32, Type::b32, sum});
  return 2 * is_signed(a) + is_signed(other);
}

template <class F>
constexpr Handler word3 = apply<F, u32, u32, u32, u32>;

void bind_dp4a(Binding& b) {
  static constexpr Handler handlers[] = {word3<Dp4a<false, false>>, word3<Dp4a<false, true>>,
                                         word3<Dp4a<true, false>>, word3<Dp4a<true, true>>};
  b.op.run = handlers[bind_dot(b)];
}

void bind_dp2a(Binding& b) {
  static constexpr Handler handlers[2][4] = {
      {word3<Dp2a<false, false, 0>>, word3<Dp2a<false, true, 0>>, word3<Dp2a<true, false, 0>>,
       word3<Dp2a<true, true, 0>>},
      {word3<Dp2a<false, false, 2>>, word3<Dp2a<false, true, 2>>, word3<Dp2a<true, false, 2>>,
       word3<Dp2a<true, true, 2>>}};
  const bool high = b.one_of(halves_of_product, "dp2a needs .lo or .hi");
  b.op.run = handlers[high][bind_dot(b)];
}

}  // namespace

std::span<const OpcodeRow> bit_rows() {
  using enum OpClass;
  static const OpcodeRow rows[] = {
      {"popc", logic, bind_count<Popc>, ".b{32,64}"},
      {"clz", logic, bind_count<Clz>, ".b{32,64}"},
      {"bfind", logic, bind_bfind, "{.shiftamt}.{u,s}{32,64}"},
      {"fns", logic, bind_fns, ".b32"},
      {"brev", logic, bind_brev, ".b{32,64}"},
      {"bfe", logic, bind_bfe, ".{u,s}{32,64}"},
      {"bfi", logic, bind_bfi, ".b{32,64}"},
      {"szext", logic, bind_szext, ".{clamp,wrap}.{u,s}32"},
      {"bmsk", logic, bind_bmsk, ".{clamp,wrap}.b32"},
      {"dp4a", integer, bind_dp4a, ".{u,s}32.{u,s}32"},
      {"dp2a", integer, bind_dp2a, ".{lo,hi}.{u,s}32.{u,s}32"},
  };
  return rows;
}

}  // namespace aisp::sim
