// Extended precision: add sub mad with .cc, addc, subc, madc. The flag is a carry: a subtraction
// adds the complement, so a borrow leaves it clear, as the hardware shows when sub.cc is followed
// by addc.
#include "sim/exec/arithmetic/integer/carry.hpp"

#include "sim/exec/arithmetic/integer/functions.hpp"

namespace aisp::sim {
namespace {

// first() + second() + carry in, on unsigned T; `start` is the carry in of the form without one.
template <class T>
struct SumTerms {
  static constexpr int sources = 2;
  static constexpr Mask start = 0;
  static T first(T a, T, T) { return a; }
  static T second(T, T b, T) { return b; }
};
template <class T>
struct DifferenceTerms : SumTerms<T> {
  static constexpr Mask start = all_lanes;
  static T second(T, T b, T) { return ~b; }
};
template <class T, class Product>
struct ProductTerms : SumTerms<T> {
  static constexpr int sources = 3;
  static T first(T a, T b, T) {
    using S = typename Product::template Operand<T>;
    return static_cast<T>(typename Product::Function{}(static_cast<S>(a), static_cast<S>(b)));
  }
  static T second(T, T, T c) { return c; }
};
struct LowProduct {
  using Function = MulLow;
  template <class T>
  using Operand = T;
};
struct HighProduct {
  using Function = MulHigh;
  template <class T>
  using Operand = T;
};
struct HighSignedProduct {
  using Function = MulHigh;
  template <class T>
  using Operand = std::make_signed_t<T>;
};

// Carry in from d, carry out to dst2; either may be absent.
template <class Terms, class T>
Flow with_carry(Warp& warp, const Op& op, Mask mask) {
  T* out = warp.write<T>(op.dst);
  const T* a = warp.read<T>(op.a);
  const T* b = warp.read<T>(op.b);
  const T* c = Terms::sources == 3 ? warp.read<T>(op.c) : a;
  const Mask in = op.d == no_ref ? Terms::start : warp.predicate(op.d);
  Mask carries = 0;
  each_lane(mask, [&](int lane) {
    const T first = Terms::first(a[lane], b[lane], c[lane]);
    const T partial = first + Terms::second(a[lane], b[lane], c[lane]);
    const T sum = partial + (in >> lane & 1);
    carries |= static_cast<Mask>(partial < first || sum < partial) << lane;
    out[lane] = sum;
  });
  warp.set_predicate(op.dst2, mask, carries);
  return Flow::next;
}

enum class Carry { out, in, both };

Carry carry_of_continued(Binding& b) { return b.accept("cc") ? Carry::both : Carry::in; }

Type bind_flags(Binding& b, Carry carry) {
  const Type type = b.type_of({Type::u32, Type::s32, Type::u64, Type::s64});
  if (carry != Carry::out) b.op.d = b.read_condition_code();
  if (carry != Carry::in) b.op.dst2 = b.write_condition_code();
  return type;
}

template <template <class> class Terms>
void bind_sum(Binding& b, Carry carry) {
  const Type type = bind_flags(b, carry);
  bind_operands(b, type, {type, type});
  b.op.run = bits_of(type) == 64 ? with_carry<Terms<u64>, u64> : with_carry<Terms<u32>, u32>;
}

template <class Product>
Handler product_handler(Type type) {
  return bits_of(type) == 64 ? with_carry<ProductTerms<u64, Product>, u64>
                             : with_carry<ProductTerms<u32, Product>, u32>;
}

void bind_product(Binding& b, Carry carry, bool high) {
  const Type type = bind_flags(b, carry);
  bind_operands(b, type, {type, type, type});
  b.op.run = !high             ? product_handler<LowProduct>(type)
             : is_signed(type) ? product_handler<HighSignedProduct>(type)
                               : product_handler<HighProduct>(type);
}

}  // namespace

void bind_add_carry(Binding& b) { bind_sum<SumTerms>(b, Carry::out); }
void bind_sub_carry(Binding& b) { bind_sum<DifferenceTerms>(b, Carry::out); }
void bind_mad_carry(Binding& b, bool high) { bind_product(b, Carry::out, high); }
void bind_addc(Binding& b) { bind_sum<SumTerms>(b, carry_of_continued(b)); }
void bind_subc(Binding& b) { bind_sum<DifferenceTerms>(b, carry_of_continued(b)); }
void bind_madc(Binding& b) {
  const bool high = b.one_of(halves_of_product, "madc needs .lo or .hi");
  bind_product(b, carry_of_continued(b), high);
}

}  // namespace aisp::sim
