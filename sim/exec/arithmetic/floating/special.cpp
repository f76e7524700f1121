// rcp sqrt rsqrt sin cos lg2 ex2 tanh copysign testp. Correctly rounded forms use the host's own
// division and square root; .approx ones return the correctly rounded value of the function that
// hardware approximates, with the ranges and special values that the ISA gives.
#include <cmath>

#include "sim/exec/arithmetic/floating/element.hpp"
#include "sim/exec/arithmetic/floating/flushing.hpp"
#include "sim/exec/arithmetic/floating/half_vector.hpp"
#include "sim/exec/arithmetic/floating/nan.hpp"
#include "sim/exec/arithmetic/floating/rounding.hpp"
#include "sim/exec/arithmetic/floating/special_function.hpp"
#include "sim/exec/form.hpp"
#include "sim/exec/opcodes.hpp"

namespace aisp::sim {
namespace {

struct Reciprocal {
  template <class T>
  T operator()(T x) const {
    return T(1) / x;
  }
};
struct SquareRoot {
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};
struct ReciprocalRoot {
  double operator()(double x) const { return 1.0 / std::sqrt(x); }
};
struct Exp2 {
  double operator()(double x) const { return exp2_of(x); }
};
struct Log2 {
  double operator()(double x) const { return log2_of(x); }
};
struct Tanh {
  double operator()(double x) const { return tanh_of(x); }
};
struct Sine {
  double operator()(double x) const { return sine_of_turns(turns_of(x)); }
};
struct Cosine {
  double operator()(double x) const { return sine_of_turns(turns_of(x) + 0.25); }
};

template <class Function, bool ftz>
Flow approximate(Warp& warp, const Op& op, Mask mask) {
  each_word<F32>(warp, op, mask, [](std::uint32_t word) {
    float x = std::bit_cast<float>(word);
    if constexpr (ftz) x = without_subnormal(x);
    float result = static_cast<float>(Function{}(static_cast<double>(x)));
    if constexpr (ftz) result = without_subnormal(result);
    return std::bit_cast<std::uint32_t>(finish<false>(result));
  });
  return Flow::next;
}

struct ExactForm {
  Round round = Round::rn;
  bool ftz = false;
};

template <class E, class Function>
Flow exact(Warp& warp, const Op& op, Mask mask) {
  using Word = typename E::Word;
  using T = std::conditional_t<sizeof(Word) == 8, double, float>;
  // The only tiny results are reciprocals of numbers above 2^126, none of which rounds up to the
  // smallest normal number: it does not matter whether the host rounds before it flushes.
  const auto form = form_of<ExactForm>(op);
  const ArithmeticScope scope(form.round, form.ftz);
  each_word<E>(warp, op, mask, [](Word word) {
    const T x = std::bit_cast<T>(word);
    return std::bit_cast<Word>(finish<false>(Function{}(x), x));
  });
  return Flow::next;
}

// The f64 approximations look at the upper 32 bits of the operand and truncate to those.
template <class Function>
Flow upper_words(Warp& warp, const Op& op, Mask mask) {
  each_word<F64>(warp, op, mask, [](std::uint64_t word) {
    constexpr std::uint64_t upper = 0xffffffff00000000u;
    const auto flush = [](std::uint64_t x) {
      return (x & F64::nan) < F64::smallest_normal ? x & F64::sign : x;
    };
    const double x = std::bit_cast<double>(flush(word) & upper);
    const auto result = std::bit_cast<std::uint64_t>(Function{}(x));
    return ((result & F64::nan) > F64::infinity ? F64::nan : flush(result)) & upper;
  });
  return Flow::next;
}

template <class E, class Format, class Function, bool ftz>
Flow half(Warp& warp, const Op& op, Mask mask) {
  const std::uint16_t* a = warp.read<std::uint16_t>(op.a);
  Results<E> results(warp, op.dst, mask);
  for (int i = 0; i < E::count; i += half_block) {
    alignas(32) float x[half_block];
    Floats block = widen<Format>(load_halves(a + i));
    std::memcpy(x, &block, sizeof x);
    for (float& value : x) {
      const float operand = ftz ? without_subnormal(value) : value;
      const auto result = static_cast<float>(Function{}(static_cast<double>(operand)));
      value = ftz ? without_subnormal(result) : result;
    }
    std::memcpy(&block, x, sizeof x);
    store_halves(results.data() + i, narrow<Format>(block));
  }
  return Flow::next;
}

enum class SpecialOp : std::uint8_t { rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh };

template <class Function>
Handler approximation(bool ftz) {
  return ftz ? approximate<Function, true> : approximate<Function, false>;
}

Handler approximation_of(SpecialOp what, bool ftz) {
  switch (what) {
    case SpecialOp::rcp:
      return approximation<Reciprocal>(ftz);
    case SpecialOp::sqrt:
      return approximation<SquareRoot>(ftz);
    case SpecialOp::rsqrt:
      return approximation<ReciprocalRoot>(ftz);
    case SpecialOp::sin:
      return approximation<Sine>(ftz);
    case SpecialOp::cos:
      return approximation<Cosine>(ftz);
    case SpecialOp::lg2:
      return approximation<Log2>(ftz);
    case SpecialOp::ex2:
      return approximation<Exp2>(ftz);
    default:
      return approximation<Tanh>(false);
  }
}

template <class Function, bool bfloat_ftz>
Handler half_approximation(Type type) {
  switch (type) {
    case Type::f16:
      return half<F16, Float16, Function, false>;
    case Type::f16x2:
      return half<F16x2, Float16, Function, false>;
    case Type::bf16:
      return half<BF16, BFloat16, Function, bfloat_ftz>;
    default:
      return half<BF16x2, BFloat16, Function, bfloat_ftz>;
  }
}

bool is_half(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}

// Null for a form that does not exist.
Handler approximate_handler(SpecialOp what, Type type, bool ftz) {
  if (type == Type::f32)
    return what == SpecialOp::tanh && ftz ? nullptr : approximation_of(what, ftz);
  if (type == Type::f64) {
    if (what == SpecialOp::rcp) return ftz ? upper_words<Reciprocal> : nullptr;
    if (what == SpecialOp::rsqrt)
      return ftz ? upper_words<ReciprocalRoot> : exact<F64, ReciprocalRoot>;
    return nullptr;
  }
  if (!is_half(type)) return nullptr;
  if (what == SpecialOp::tanh) return ftz ? nullptr : half_approximation<Tanh, false>(type);
  const bool bfloat = type == Type::bf16 || type == Type::bf16x2;
  return what == SpecialOp::ex2 && ftz == bfloat ? half_approximation<Exp2, true>(type) : nullptr;
}

void bind_special(Binding& b, SpecialOp what) {
  const bool rounds = what == SpecialOp::rcp || what == SpecialOp::sqrt;
  constexpr int first_explicit = 14;  // before PTX 1.4 the default is .approx, of f64 .rn
  auto round = b.accept(roundings);
  const bool approximate = !round && b.accept("approx");
  if (round ? !rounds : !approximate && !b.is_before(first_explicit))
    b.refuse("needs .approx" + std::string(rounds ? " or a rounding modifier" : ""));
  bool ftz = b.accept("ftz");
  const Type type = b.type();
  ftz = ftz || (type == Type::f32 && b.always_flushes());
  if (!round && !approximate && rounds && type == Type::f64) round = Round::rn;
  if (!round) {
    b.op.run = approximate_handler(what, type, ftz);
  } else if (type == Type::f32 || (type == Type::f64 && !ftz)) {
    const bool wide = type == Type::f64;
    if (what == SpecialOp::rcp)
      b.op.run = wide ? exact<F64, Reciprocal> : exact<F32, Reciprocal>;
    else
      b.op.run = wide ? exact<F64, SquareRoot> : exact<F32, SquareRoot>;
    set_form(b.op, ExactForm{*round, ftz});
  }
  if (b.op.run == nullptr) b.refuse("no such type and modifiers for this instruction");
  if (type == Type::bf16 || type == Type::bf16x2) b.require(sm_90, "bf16");
  b.expect_operands(2, 2);
  b.op.dst = b.write(0, type);
  b.op.a = b.read(1, type);
  b.op.kind = OpClass::special;
}

template <SpecialOp what>
void bind(Binding& b) {
  bind_special(b, what);
}

template <class E>
Flow copysign(Warp& warp, const Op& op, Mask mask) {
  using Word = typename E::Word;
  each_word<E>(warp, op, mask,
               [](Word sign, Word value) -> Word { return (sign & E::sign) | (value & E::nan); });
  return Flow::next;
}

void bind_copysign(Binding& b) {
  const Type type = b.type_of({Type::f32, Type::f64});
  b.expect_operands(3, 3);
  b.op.run = type == Type::f64 ? copysign<F64> : copysign<F32>;
  b.op.dst = b.write(0, type);
  b.op.a = b.read(1, type);
  b.op.b = b.read(2, type);
}

enum class Test : std::uint8_t { finite, infinite, number, notanumber, normal, subnormal };
constexpr Word<Test> tests[] = {
    {"finite", Test::finite},         {"infinite", Test::infinite}, {"number", Test::number},
    {"notanumber", Test::notanumber}, {"normal", Test::normal},     {"subnormal", Test::subnormal},
};

// In the order of Test: magnitudes in [low, high]. Zero is normal.
template <class E>
struct Range {
  typename E::Word low, high;
  bool zero;
};
template <class E>
constexpr Range<E> ranges[] = {
    {0, E::infinity - 1, true},
    {E::infinity, E::infinity, false},
    {0, E::infinity, true},
    {E::infinity + 1, E::nan, false},
    {E::smallest_normal, E::infinity - 1, true},
    {1, E::smallest_normal - 1, false},
};

template <class E>
Flow testp(Warp& warp, const Op& op, Mask mask) {
  const Range<E> range = ranges<E>[static_cast<int>(form_of<Test>(op))];
  const auto* a = warp.read<typename E::Word>(op.a);
  Mask result = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    const auto magnitude = a[lane] & E::nan;
    const bool within = range.low <= magnitude && magnitude <= range.high;
    result |= Mask{within || (range.zero && magnitude == 0)} << lane;
  }
  warp.set_predicate(op.dst, mask, result);
  return Flow::next;
}

void bind_testp(Binding& b) {
  set_form(b.op, b.one_of(tests, "no such test"));
  const Type type = b.type_of({Type::f32, Type::f64});
  b.expect_operands(2, 2);
  b.op.run = type == Type::f64 ? testp<F64> : testp<F32>;
  b.op.dst = b.write_predicate(b.operand(0));
  b.op.a = b.read(1, type);
}

constexpr OpcodeRow rows[] = {
    {"rcp", OpClass::special, bind<SpecialOp::rcp>,
     ".{rn,rz,rm,rp,approx}{.ftz}.f32, .{rn,rz,rm,rp}.f64, .approx.ftz.f64"},
    {"sqrt", OpClass::special, bind<SpecialOp::sqrt>,
     ".{rn,rz,rm,rp,approx}{.ftz}.f32, .{rn,rz,rm,rp}.f64"},
    {"rsqrt", OpClass::special, bind<SpecialOp::rsqrt>, ".approx{.ftz}.{f32,f64}"},
    {"sin", OpClass::special, bind<SpecialOp::sin>, ".approx{.ftz}.f32"},
    {"cos", OpClass::special, bind<SpecialOp::cos>, ".approx{.ftz}.f32"},
    {"lg2", OpClass::special, bind<SpecialOp::lg2>, ".approx{.ftz}.f32"},
    {"ex2", OpClass::special, bind<SpecialOp::ex2>,
     ".approx{.ftz}.f32, .approx.{f16,f16x2}, .approx.ftz.{bf16,bf16x2}"},
    {"tanh", OpClass::special, bind<SpecialOp::tanh>, ".approx.{f32,f16,f16x2,bf16,bf16x2}"},
    {"copysign", OpClass::float32, bind_copysign, ".{f32,f64}"},
    {"testp", OpClass::compare, bind_testp,
     ".{finite,infinite,number,notanumber,normal,subnormal}.{f32,f64}"},
};

}  // namespace

std::span<const OpcodeRow> special_rows() { return rows; }

}  // namespace aisp::sim
