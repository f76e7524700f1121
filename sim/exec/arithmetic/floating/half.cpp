// add, sub, mul and fma of f16, bf16 and their pairs, each rounded once. Sums of halves and
// products of f16 lose nothing in f32 that shows after narrowing (24 >= 2 * 11 + 2 bits); the
// others are formed exactly and rounded to odd before the one rounding.
#include "sim/exec/arithmetic/floating/element.hpp"
#include "sim/exec/arithmetic/floating/form.hpp"
#include "sim/exec/arithmetic/floating/half_vector.hpp"

namespace aisp::sim {
namespace {

struct Add {
  template <class Format>
  static Floats compute(Floats a, Floats b) {
    return a + b;
  }
};
struct Sub {
  template <class Format>
  static Floats compute(Floats a, Floats b) {
    return a - b;
  }
};

template <class F>
[[gnu::always_inline]] inline Floats in_doubles(F f, Floats a, Floats b, Floats c) {
  const auto low = [](Floats x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3); };
  const auto high = [](Floats x) { return __builtin_shufflevector(x, x, 4, 5, 6, 7); };
  const auto widen = [](Floats4 x) { return __builtin_convertvector(x, Doubles4); };
  const Floats4 first = to_odd_float(f(widen(low(a)), widen(low(b)), widen(low(c))));
  const Floats4 second = to_odd_float(f(widen(high(a)), widen(high(b)), widen(high(c))));
  return base::joined(first, second);
}

struct Mul {
  template <class Format>
  static Floats compute(Floats a, Floats b) {
    if constexpr (std::is_same_v<Format, Float16>) return a * b;
    return in_doubles([](Doubles4 x, Doubles4 y, Doubles4) { return x * y; }, a, b, a);
  }
};
struct Fma {
  template <class Format>
  static Floats compute(Floats a, Floats b, Floats c) {
    if constexpr (std::is_same_v<Format, Float16>) return sum_to_odd<Floats, Ints>(a * b, c);
    return in_doubles(
        [](Doubles4 x, Doubles4 y, Doubles4 z) { return sum_to_odd<Doubles4, Longs4>(x * y, z); },
        a, b, c);
  }
};

// .oob takes this NaN, which TMA fills in, for "outside of the tensor".
inline Ints is_outside(Halves h) { return (__builtin_convertvector(h, Ints) & 0x7fff) == 0x7ff7; }

struct Modifiers {
  bool ftz, sat, relu, oob;
  explicit Modifiers(const FloatForm& form)
      : ftz(form.ftz), sat(form.sat), relu(form.relu), oob(form.oob) {}
};

// Only f16 has .ftz.
inline Floats flushed(Floats x, float below) {
  const Ints sign = std::bit_cast<Ints>(x) & static_cast<int>(0x80000000u);
  const Floats magnitude = std::bit_cast<Floats>(std::bit_cast<Ints>(x) ^ sign);
  return magnitude < below ? std::bit_cast<Floats>(sign) : x;
}

template <class Format, class Calculate, bool modified>
[[gnu::always_inline]] inline Halves compute(Modifiers modifiers, Halves a, Halves b, Halves c) {
  Floats x = widen<Format>(a), y = widen<Format>(b), z = widen<Format>(c);
  if (modified && modifiers.ftz) {
    x = flushed(x, Float16::smallest_normal);
    y = flushed(y, Float16::smallest_normal);
    z = flushed(z, Float16::smallest_normal);
  }
  Floats result;
  if constexpr (std::is_same_v<Calculate, Fma>)
    result = Calculate::template compute<Format>(x, y, z);
  else
    result = Calculate::template compute<Format>(x, y);
  if (modified) {
    // Subnormal is what stays below the smallest normal number when rounded to 11 bits.
    if (modifiers.ftz) result = flushed(result, Float16::smallest_normal * (1 - 0x1p-12f));
    if (modifiers.relu) result = result <= 0 ? Floats{} : result;  // -0 too
    if (modifiers.sat) result = result > 0 ? (result < 1 ? result : Floats{} + 1) : Floats{};
    if (modifiers.oob) result = (is_outside(a) | is_outside(b)) != 0 ? Floats{} : result;
  }
  return narrow<Format>(result);
}

template <class E, class Format, class Calculate, bool modified>
Flow half(Warp& warp, const Op& op, Mask mask) {
  const Modifiers modifiers(form_of<FloatForm>(op));
  const std::uint16_t* a = warp.read<std::uint16_t>(op.a);
  const std::uint16_t* b = warp.read<std::uint16_t>(op.b);
  const std::uint16_t* c = std::is_same_v<Calculate, Fma> ? warp.read<std::uint16_t>(op.c) : b;
  Results<E> results(warp, op.dst, mask);
  for (int i = 0; i < E::count; i += half_block)
    store_halves(results.data() + i,
                 compute<Format, Calculate, modified>(modifiers, load_halves(a + i),
                                                      load_halves(b + i), load_halves(c + i)));
  return Flow::next;
}

template <class E, class Format, class Calculate>
Handler variant(const FloatForm& form) {
  const bool modified = form.ftz || form.sat || form.relu || form.oob;
  return modified ? half<E, Format, Calculate, true> : half<E, Format, Calculate, false>;
}

template <class Calculate>
Handler by_type(const FloatForm& form) {
  switch (form.type) {
    case Type::f16:
      return variant<F16, Float16, Calculate>(form);
    case Type::f16x2:
      return variant<F16x2, Float16, Calculate>(form);
    case Type::bf16:
      return variant<BF16, BFloat16, Calculate>(form);
    default:
      return variant<BF16x2, BFloat16, Calculate>(form);
  }
}

}  // namespace

Handler half_handler(const FloatForm& form) {
  switch (form.op) {
    case FloatOp::add:
      return by_type<Add>(form);
    case FloatOp::sub:
      return by_type<Sub>(form);
    case FloatOp::mul:
      return by_type<Mul>(form);
    default:
      return by_type<Fma>(form);
  }
}

}  // namespace aisp::sim
